/* SPDX-License-Identifier: Apache-2.0 */
/* The gauge field on a four-dimensional lattice; time is direction 3. */
#ifndef LATTICE_H
#define LATTICE_H

#include "su3.h"

#include <stdint.h>

#define DIRECTIONS 4
#define TIME 3

/* Sites with an even sum of coordinates come first, then the odd ones. All lengths are even. */
struct lattice {
    int length[DIRECTIONS];
    int sites;
    int half;                       /* sites / 2 */
    int (*next)[DIRECTIONS];        /* neighbour in the positive directions */
    int (*last)[DIRECTIONS];        /* neighbour in the negative directions */
    int (*place)[DIRECTIONS];       /* a site's coordinates */
    struct matrix (*link)[DIRECTIONS];
    uint64_t *random;               /* a random generator for every site */
};

/* How often the heat bath drew a number, and how often it took it. */
struct draws {
    long made;
    long taken;
};

_Noreturn void fail(const char *format, ...);
_Noreturn void stop(const char *complaint);
void *allocate(long count, long size);

void make_lattice(struct lattice *lattice, const int length[DIRECTIONS], uint64_t seed);
void free_lattice(struct lattice *lattice);
int site_at(const struct lattice *lattice, const int place[DIRECTIONS]);
void start_cold(struct lattice *lattice);
void start_hot(struct lattice *lattice);
void transform(struct lattice *lattice); /* a random gauge transformation */
double make_links_unitary(struct lattice *lattice); /* returns the largest deviation before */

double uniform(uint64_t *state); /* above 0 and below 1 */
void two_gaussians(uint64_t *state, double *first, double *second);

void sweep_heat_bath(struct lattice *lattice, double beta, struct draws *draws);
void sweep_reflections(struct lattice *lattice);

/* Averages of a third of the real part of the trace. */
void plaquettes(const struct lattice *lattice, double *space, double *time);
double wilson_loop(const struct lattice *lattice, int space, int time);
struct number polyakov_loop(const struct lattice *lattice);

#endif
