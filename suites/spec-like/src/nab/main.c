/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nab: molecular mechanics in an implicit solvent. It minimises a molecule's energy, then lets it
 * move, and checks itself: the gradient against differences, that energy, momentum and angular
 * momentum stay what they are. It ends with status 1 where a check fails, with 2 for bad input.
 */
#include "nab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENERGY_TOLERANCE 0.01   /* of the kinetic energy */
#define GRADIENT_TOLERANCE 1e-5 /* of the mean slope */
#define TINY 1e-9               /* below this, errors are not relative */

struct options {
    const char *path;
    int (*minimise)(struct model *, struct point *, int, double, watch_function *);
    struct solvent solvent;
    int iterations, steps, every, coordinates;
    double enough, femtoseconds, temperature;
    uint64_t seed;
};

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: nab [OPTION VALUE]... FILE\n"
         "  -m METHOD       lbfgs (as is) or cg: how to minimise\n"
         "  -i ITERATIONS   at most (0)\n"
         "  -e SLOPE        stop below this mean slope, in kcal/mol/Angstrom (0.01)\n"
         "  -b RADII        obc (as is) or hct: Onufriev's or Hawkins's Born radii\n"
         "  -k KAPPA        inverse Debye length, in 1/Angstrom (0)\n"
         "  -n STEPS        of dynamics (0)\n"
         "  -d TIME         of a step, in fs (1)\n"
         "  -t TEMPERATURE  at the beginning, in K (300)\n"
         "  -r SEED         of the velocities (1)\n"
         "  -o STEPS        of dynamics from one line of output to the next (10)\n"
         "  -g COORDINATES  whose slopes are compared with differences of the energy (0)",
         complaint);
}

static double number_in(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= least && value <= most))
        fail("'%s' is not a number from %g to %g", text, least, most);
    return value;
}

static int whole_in(const char *text, int least, int most)
{
    double value = number_in(text, least, most);

    if (value != (int)value)
        fail("'%s' is not a whole number", text);
    return (int)value;
}

static void read_option(struct options *options, char letter, const char *value)
{
    switch (letter) {
    case 'm':
        if (strcmp(value, "lbfgs") != 0 && strcmp(value, "cg") != 0)
            usage("there is no such method");
        options->minimise = *value == 'l' ? minimise_lbfgs : minimise_conjugate;
        break;
    case 'i':
        options->iterations = whole_in(value, 0, 100000);
        break;
    case 'e':
        options->enough = number_in(value, 0.0, 1000.0);
        break;
    case 'b':
        if (strcmp(value, "hct") != 0 && strcmp(value, "obc") != 0)
            usage("there are no such radii");
        options->solvent.born = *value == 'h' ? HAWKINS : ONUFRIEV;
        break;
    case 'k':
        options->solvent.kappa = number_in(value, 0.0, 10.0);
        break;
    case 'n':
        options->steps = whole_in(value, 0, 1000000);
        break;
    case 'd':
        options->femtoseconds = number_in(value, 0.001, 10.0);
        break;
    case 't':
        options->temperature = number_in(value, 0.0, 2000.0);
        break;
    case 'r':
        options->seed = (uint64_t)whole_in(value, 0, 2000000000);
        break;
    case 'o':
        options->every = whole_in(value, 1, 1000000);
        break;
    case 'g':
        options->coordinates = whole_in(value, 0, 1000000);
        break;
    default:
        usage("unknown option");
    }
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->minimise = minimise_lbfgs;
    options->solvent.born = ONUFRIEV;
    options->solvent.inside = 1.0;
    options->solvent.outside = 78.5;
    options->enough = 0.01;
    options->femtoseconds = 1.0;
    options->temperature = 300.0;
    options->seed = 1;
    options->every = 10;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (strlen(argv[i]) != 2 || i + 1 == argc)
                usage("an option is a letter and a value after it");
            read_option(options, argv[i][1], argv[i + 1]);
            i++;
        } else if (options->path == NULL) {
            options->path = argv[i];
        } else {
            usage("more than one file");
        }
    }
    if (options->path == NULL)
        usage("no file");
}

/* Say how a check went; a failed one ends the program. */
static void verdict(const char *what, double found, double most)
{
    int passed = found <= most;

    printf("%s: %s\n", what, passed ? "ok" : "FAILED");
    if (!passed) {
        fflush(stdout);
        fprintf(stderr, "nab: %s is off by %g, the most allowed is %g\n", what, found, most);
        exit(1);
    }
}

static double mean_slope(const struct point *point, int atoms)
{
    return sqrt(product(point->gradient, point->gradient, 3 * atoms) / (3 * atoms));
}

static void show_terms(const char *when, const struct point *point, int atoms)
{
    const struct terms *terms = &point->terms;

    printf("%s: energy %.6f, mean slope %.6f\n", when, point->energy, mean_slope(point, atoms));
    printf("  bond %.6f, angle %.6f, torsion %.6f, contact %.6f, charge %.6f, born %.6f\n", terms->bond, terms->angle,
           terms->torsion, terms->contact, terms->charge, terms->born);
}

static void show_iteration(int iteration, const struct point *point, int atoms)
{
    printf("iteration %d: energy %.6f, mean slope %.6f\n", iteration, point->energy, mean_slope(point, atoms));
}

static void show_radii(const struct model *model)
{
    int atoms = model->molecule->atoms, smallest = 0, greatest = 0;
    double sum = 0.0;

    for (int i = 0; i < atoms; i++) {
        sum += model->effective[i];
        if (model->effective[i] < model->effective[smallest])
            smallest = i;
        if (model->effective[i] > model->effective[greatest])
            greatest = i;
    }
    printf("Born radii: %.6f (atom %d) to %.6f (atom %d), mean %.6f\n", model->effective[smallest], smallest,
           model->effective[greatest], greatest, sum / atoms);
}

/* An energy is that of the molecule's shape: nothing pulls or turns it as a whole. */
static void check_total(const struct point *point, int atoms)
{
    double force[3], torque[3], scale = (largest(point->gradient, 3 * atoms) + TINY) * atoms;

    total_force(point, atoms, force, torque);
    verdict("no force on the whole", largest(force, 3) / scale, 1e-10);
    verdict("no torque on the whole", largest(torque, 3) / (scale * (1.0 + largest(point->x, 3 * atoms))), 1e-10);
}

static void minimise(struct model *model, struct point *point, const struct options *options)
{
    double before = point->energy;
    int done = options->minimise(model, point, options->iterations, options->enough, show_iteration);

    printf("minimised in %d iterations and %ld evaluations\n", done, model->evaluations);
    verdict("the energy went down", point->energy - before, 0.0);
    show_terms("minimised", point, model->molecule->atoms);
    show_radii(model);
}

static void show_motion(int step, const struct point *point, const struct motion *motion, int atoms)
{
    printf("step %d: potential %.6f, kinetic %.6f, total %.6f, %.6f K\n", step, point->energy, motion->kinetic,
           point->energy + motion->kinetic, temperature_of(motion, atoms));
}

static double farthest_apart(const double *left, const double *right)
{
    double difference[3];

    for (int k = 0; k < 3; k++)
        difference[k] = left[k] - right[k];
    return largest(difference, 3);
}

static void move(struct motion *motion, struct model *model, struct point *point, const struct options *options)
{
    const struct molecule *molecule = model->molecule;
    struct motion beginning;
    double least, most, kinetic;
    int samples = 1;

    measure_motion(motion, molecule, point->x);
    show_motion(0, point, motion, molecule->atoms);
    beginning = *motion;
    least = most = point->energy + motion->kinetic;
    kinetic = motion->kinetic;
    for (int step = 1; step <= options->steps; step++) {
        double total;

        move_on(motion, model, point, options->femtoseconds);
        if (step % options->every != 0 && step != options->steps)
            continue;
        measure_motion(motion, molecule, point->x);
        show_motion(step, point, motion, molecule->atoms);
        total = point->energy + motion->kinetic;
        least = total < least ? total : least;
        most = total > most ? total : most;
        kinetic += motion->kinetic;
        samples++;
    }
    verdict("conservation of energy", (most - least) / (kinetic / samples + TINY), ENERGY_TOLERANCE);
    verdict("conservation of momentum", farthest_apart(motion->momentum, beginning.momentum), 1e-7 * molecule->atoms);
    verdict("conservation of angular momentum", farthest_apart(motion->spin, beginning.spin), 1e-6 * molecule->atoms);
}

/* Fowler, Noll and Vo's hash of the numbers' bits, a byte at a time, least significant first. */
static uint64_t mix(uint64_t hash, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &numbers[i], sizeof bits);
        for (int k = 0; k < 8; k++) {
            hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
            bits >>= 8;
        }
    }
    return hash;
}

int main(int argc, char **argv)
{
    struct options options;
    struct molecule molecule;
    struct model model;
    struct motion motion;
    struct point point;
    uint64_t checksum = 0xcbf29ce484222325;

    read_options(&options, argc, argv);
    read_molecule(&molecule, options.path);
    prepare_molecule(&molecule);
    new_model(&model, &molecule, &options.solvent);
    new_point(&point, molecule.atoms);
    memcpy(point.x, molecule.start, 3 * (size_t)molecule.atoms * sizeof *point.x);
    printf("molecule: %s\n%d atoms, %d bonds, %d angles, %d torsions\n", molecule.title, molecule.atoms,
           molecule.bonds, molecule.angles, molecule.torsions);
    evaluate(&model, &point);
    if (!isfinite(point.energy) || !isfinite(mean_slope(&point, molecule.atoms)))
        fail("%s: two atoms are in one place", options.path);
    show_terms("at first", &point, molecule.atoms);
    show_radii(&model);
    if (options.iterations > 0)
        minimise(&model, &point, &options);
    check_total(&point, molecule.atoms);
    if (options.coordinates > 0) {
        verdict("elementary functions", check_maths() ? 0.0 : 1.0, 0.0);
        verdict("slopes are differences", check_gradient(&model, &point, options.coordinates), GRADIENT_TOLERANCE);
    }
    start_motion(&motion, &molecule, options.temperature, options.seed);
    if (options.steps > 0)
        move(&motion, &model, &point, &options);
    checksum = mix(checksum, point.x, 3 * molecule.atoms);
    checksum = mix(checksum, motion.velocity, 3 * molecule.atoms);
    checksum = mix(checksum, model.effective, molecule.atoms);
    printf("evaluations %ld, checksum %016" PRIx64 "\n", model.evaluations, checksum);
    free_motion(&motion);
    free_point(&point);
    free_model(&model);
    free_molecule(&molecule);
    return 0;
}
