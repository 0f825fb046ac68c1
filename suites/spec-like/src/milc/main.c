/* SPDX-License-Identifier: Apache-2.0 */
/*
 * milc: quantum chromodynamics on a lattice. Makes gauge fields by a heat bath, measures loops, and
 * computes the propagator of a quark. What must hold exactly is checked on the way: the links are in
 * SU(3), reflections keep the action, loops do not change under a gauge transformation, and the
 * propagator solves the quark's equation. Otherwise the program exits with status 1.
 */
#include "elementary.h"
#include "fermion.h"
#include "params.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("milc: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

_Noreturn void stop(const char *complaint)
{
    puts(complaint);
    exit(1);
}

void *allocate(long count, long size)
{
    void *memory = calloc((size_t)count, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static int close_to(double a, double b)
{
    return fabs(a - b) < 1e-10;
}

static void update(struct lattice *lattice, const struct params *params)
{
    struct draws draws = {0, 0};

    for (int sweep = 1; sweep <= params->sweeps; sweep++) {
        double space, time, before, largest;

        sweep_heat_bath(lattice, params->beta, &draws);
        if (params->reflections > 0) {
            plaquettes(lattice, &space, &time);
            before = space + time;
            for (int i = 0; i < params->reflections; i++)
                sweep_reflections(lattice);
            plaquettes(lattice, &space, &time);
            if (!close_to(before, space + time))
                stop("reflections change the action");
        }
        largest = make_links_unitary(lattice);
        if (!(largest < 1e-10))
            stop("a link is not unitary");
        plaquettes(lattice, &space, &time);
        printf("sweep %d: plaquettes %.10f in space, %.10f in time\n", sweep, space, time);
    }
    printf("heat bath: %ld numbers drawn, %ld taken\n", draws.made, draws.taken);
}

static void measure(const struct lattice *lattice, const struct params *params)
{
    double space, time;
    struct number loop = polyakov_loop(lattice);

    plaquettes(lattice, &space, &time);
    for (int r = 1; r <= params->loops; r++) {
        for (int t = 1; t <= params->loops; t++) {
            double wilson = wilson_loop(lattice, r, t);

            printf("Wilson loop %d x %d: %.10f\n", r, t, wilson);
            if (r == 1 && t == 1 && !close_to(wilson, time))
                stop("the smallest Wilson loop is not the plaquette");
        }
    }
    printf("Polyakov loop: %.10f %.10f\n", loop.re, loop.im);
}

static void check_invariance(struct lattice *lattice)
{
    struct number loop = polyakov_loop(lattice), other;
    double space, time, other_space, other_time;

    plaquettes(lattice, &space, &time);
    transform(lattice);
    plaquettes(lattice, &other_space, &other_time);
    other = polyakov_loop(lattice);
    if (!close_to(space, other_space) || !close_to(time, other_time) || !close_to(loop.re, other.re) ||
        !close_to(loop.im, other.im))
        stop("loops change under a gauge transformation");
    puts("loops are gauge invariant");
}

static void propagate(const struct lattice *lattice, const struct params *params)
{
    struct limits limits = {params->tolerance, params->iterations};
    double *pion = allocate(lattice->length[TIME], sizeof *pion);

    for (int source = 0; source < params->sources; source++) {
        struct outcome outcome;

        if (params->quark == STAGGERED)
            staggered_pion(lattice, params->mass, source, &limits, pion, &outcome);
        else
            wilson_pion(lattice, params->kappa, source / 3, source % 3, &limits, pion, &outcome);
        if (outcome.iterations > params->iterations)
            stop("the solver did not converge");
        if (!(outcome.residual < 100.0 * params->tolerance))
            stop("the propagator does not solve the quark's equation");
        printf("source %d: %d iterations, residual %.1e\n", source, outcome.iterations, outcome.residual);
    }
    for (int t = 0; t < lattice->length[TIME]; t++)
        printf("pion at time %d: %.8e\n", t, pion[t]);
    free(pion);
}

/* The elementary functions at places from near 0 to 10, for comparison with other libraries. */
static void print_functions(void)
{
    for (int i = 1; i <= 200; i++) {
        double x = 0.05 * i * i * i / 40000.0, cosine, sine;

        circle((i - 1) / 200.0, &cosine, &sine);
        printf("%.17g %.17g %.17g %.17g %.17g\n", x, logarithm(x), exponential(10.0 - x * 40.0), cosine, sine);
    }
}

int main(int argc, char **argv)
{
    struct params params;
    struct lattice lattice;

    if (argc != 2)
        fail("one file of parameters is needed, or -f for a table of functions\nusage: milc PARAMETERS | milc -f");
    if (strcmp(argv[1], "-f") == 0) {
        print_functions();
        return 0;
    }
    read_params(&params, argv[1]);
    make_lattice(&lattice, params.length, params.seed);
    printf("lattice: %d x %d x %d x %d, seed %" PRIu64 ", beta %.4f\n", params.length[0], params.length[1],
           params.length[2], params.length[3], params.seed, params.beta);
    if (params.hot)
        start_hot(&lattice);
    else
        start_cold(&lattice);
    update(&lattice, &params);
    measure(&lattice, &params);
    if (params.transform)
        check_invariance(&lattice);
    if (params.quark != NO_QUARK)
        propagate(&lattice, &params);
    puts("all checks passed");
    free_lattice(&lattice);
    return 0;
}
