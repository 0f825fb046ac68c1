/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lbm: flow of a fluid around obstacles by the lattice Boltzmann method (see lbm.h). Mass must not
 * change, and momentum only by the forces of walls and body; the program says so or exits with status 1.
 */
#include "lbm.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 1000000
#define TOO_FAST 0.5   /* the method is for speeds far below that of sound, 0.577 */

struct options {
    enum walls walls;
    collision *step;
    int steps;
    int every;         /* steps between reports */
    int profile;
    const char *geometry;
    const char *slice;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("lbm: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(long count, int size)
{
    void *memory = calloc((size_t)count, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: lbm [-w periodic|channel|cavity] [-c bgk|trt|les] [-n STEPS] [-r EVERY] [-v VISCOSITY]\n"
         "           [-x FORCE] [-y FORCE] [-z FORCE] [-u LID] [-p] GEOMETRY SLICE.pgm\n"
         "  -w WALLS      none; bottom and top; or all six sides (periodic)\n"
         "  -c COLLISION  one relaxation time, two, or one with a subgrid model (bgk)\n"
         "  -n, -r        number of steps (100), and of those between reports (all)\n"
         "  -v VISCOSITY  0.0001 to 10 (0.05)\n"
         "  -x -y -z      force on every cell, -0.01 to 0.01 (0)\n"
         "  -u LID        velocity of the top wall along x, -0.2 to 0.2 (0)\n"
         "  -p            print the mean velocity of every plane",
         complaint);
}

static const char *value_of(int argc, char **argv, int *index)
{
    if (*index + 1 >= argc)
        usage("an option needs a value after it");
    return argv[++*index];
}

static double number(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (*end != '\0' || end == text || !(value >= least && value <= most))
        fail("'%s' is not a number from %g to %g", text, least, most);
    return value;
}

static enum walls walls_named(const char *name)
{
    if (strcmp(name, "periodic") == 0)
        return PERIODIC;
    if (strcmp(name, "channel") == 0)
        return CHANNEL;
    if (strcmp(name, "cavity") == 0)
        return CAVITY;
    usage("unknown walls");
}

static collision *collision_named(const char *name)
{
    if (strcmp(name, "bgk") == 0)
        return step_bgk;
    if (strcmp(name, "trt") == 0)
        return step_trt;
    if (strcmp(name, "les") == 0)
        return step_les;
    usage("unknown collision");
}

static void read_option(struct options *options, struct flow *flow, char letter, const char *value)
{
    switch (letter) {
    case 'w':
        options->walls = walls_named(value);
        break;
    case 'c':
        options->step = collision_named(value);
        break;
    case 'n':
        options->steps = (int)number(value, 1, MOST_STEPS);
        break;
    case 'r':
        options->every = (int)number(value, 1, MOST_STEPS);
        break;
    case 'v':
        flow->viscosity = number(value, 0.0001, 10.0);
        break;
    case 'x':
    case 'y':
    case 'z':
        flow->force[letter - 'x'] = number(value, -0.01, 0.01);
        break;
    case 'u':
        flow->lid = number(value, -0.2, 0.2);
        break;
    default:
        usage("unknown option");
    }
}

static void read_options(struct options *options, struct flow *flow, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    memset(flow, 0, sizeof *flow);
    options->step = step_bgk;
    options->steps = 100;
    options->every = MOST_STEPS;
    flow->viscosity = 0.05;
    flow->subgrid = 0.01; /* Smagorinsky's constant is 0.1 */
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            if (strcmp(argv[i], "-p") == 0) {
                options->profile = 1;
            } else if (strlen(argv[i]) == 2) {
                char letter = argv[i][1];

                read_option(options, flow, letter, value_of(argc, argv, &i));
            } else {
                usage("unknown option");
            }
        } else if (options->geometry == NULL) {
            options->geometry = argv[i];
        } else if (options->slice == NULL) {
            options->slice = argv[i];
        } else {
            usage("more than two files");
        }
    }
    if (options->slice == NULL)
        usage("two files are needed");
    if (flow->lid != 0.0 && options->walls == PERIODIC)
        usage("there is no lid without walls");
}

static _Noreturn void stop(int step, const char *complaint)
{
    printf("step %d: %s\n", step, complaint);
    exit(1);
}

/* Before and after one step, with the force of the walls in between. */
static void check(const struct grid *grid, const struct flow *flow, int step, const struct totals *before,
                  const struct totals *after, const double walls[3])
{
    double cells = (double)grid->fluid;

    if (!(after->fastest < TOO_FAST))
        stop(step, "the flow is not stable");
    if (!(fabs(after->mass - cells) < 1e-9 * cells))
        stop(step, "mass is not conserved");
    for (int axis = 0; axis < 3; axis++) {
        double expected = before->carried[axis] + walls[axis] + cells * flow->force[axis];

        if (!(fabs(after->carried[axis] - expected) < 1e-10 * cells))
            stop(step, "momentum is not that of the forces");
    }
}

static void report(int step, const struct totals *totals, const double walls[3])
{
    printf("step %d: mass %.6f, energy %.8e, fastest %.8e\n", step, totals->mass, totals->energy,
           totals->fastest);
    printf("  momentum %.8e %.8e %.8e\n", totals->flux[0], totals->flux[1], totals->flux[2]);
    printf("  force of walls %.8e %.8e %.8e\n", walls[0], walls[1], walls[2]);
}

static void swap(struct grid *grid)
{
    for (int q = 0; q < Q; q++) {
        double *now = grid->now[q];

        grid->now[q] = grid->next[q];
        grid->next[q] = now;
    }
}

static void simulate(struct grid *grid, const struct flow *flow, const struct options *options)
{
    for (int step = 1; step <= options->steps; step++) {
        int measured = step % options->every == 0 || step == options->steps;
        struct totals before, after;
        double walls[3];

        wrap_around(grid);
        if (measured) {
            sum_up(grid, flow, &before);
            force_of_walls(grid, flow, walls);
        }
        options->step(grid, flow);
        swap(grid);
        if (measured) {
            sum_up(grid, flow, &after);
            check(grid, flow, step, &before, &after, walls);
            report(step, &after, walls);
        }
    }
}

/* Darcy's law: the mean flow through the whole volume, times viscosity, over the force. */
static void print_permeability(const struct grid *grid, const struct flow *flow)
{
    double volume = (double)grid->size[0] * grid->size[1] * grid->size[2], along = 0.0, square = 0.0;
    struct totals totals;

    sum_up(grid, flow, &totals);
    for (int axis = 0; axis < 3; axis++) {
        along += totals.flux[axis] * flow->force[axis];
        square += flow->force[axis] * flow->force[axis];
    }
    if (square > 0.0)
        printf("permeability %.8f\n", flow->viscosity * along / volume / square);
}

int main(int argc, char **argv)
{
    struct options options;
    struct grid grid;
    struct flow flow;

    read_options(&options, &flow, argc, argv);
    set_flow(&flow);
    read_geometry(&grid, options.geometry, options.walls);
    printf("region: %d x %d x %d cells, %ld of fluid, %ld of them beside walls\n", grid.size[0], grid.size[1],
           grid.size[2], grid.fluid, grid.edges);
    fill_at_rest(&grid);
    simulate(&grid, &flow, &options);
    print_permeability(&grid, &flow);
    if (options.profile)
        print_profile(&grid, &flow);
    write_slice(&grid, &flow, options.slice);
    puts("mass is conserved, momentum is that of the forces");
    free_grid(&grid);
    return 0;
}
