/* SPDX-License-Identifier: Apache-2.0 */
/* Quark propagators in a gauge field, periodic in space and antiperiodic in time. */
#ifndef FERMION_H
#define FERMION_H

#include "lattice.h"

/* When the solver stops: the residual over the right-hand side, and a limit of its steps. */
struct limits {
    double tolerance;
    int iterations;
};

struct outcome {
    int iterations;
    double residual; /* of the quark's own equation, computed anew */
};

/* out = A in, for a Hermitian A without negative eigenvalues, on vectors of real numbers. */
typedef void operation(void *context, const double *in, double *out);

/* Solve A x = b from x = 0; returns the number of iterations, or the limit plus one. */
int conjugate_gradient(operation *operate, void *context, long length, const double *b, double *x,
                       const struct limits *limits);
double inner(const double *a, const double *b, long length);

/*
 * Add to the correlator, of length[TIME] numbers, the sum over space of the squared propagator from
 * the origin and one colour (and, for Wilson's quarks, one spin).
 */
void staggered_pion(const struct lattice *lattice, double mass, int colour, const struct limits *limits,
                    double *correlator, struct outcome *outcome);
void wilson_pion(const struct lattice *lattice, double kappa, int spin, int colour, const struct limits *limits,
                 double *correlator, struct outcome *outcome);

#endif
