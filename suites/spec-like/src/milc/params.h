/* SPDX-License-Identifier: Apache-2.0 */
/* What to compute, as a file of lines "name value" says. */
#ifndef PARAMS_H
#define PARAMS_H

#include "lattice.h"

enum quark { NO_QUARK, STAGGERED, WILSON };

struct params {
    int length[DIRECTIONS];
    uint64_t seed;
    int hot;           /* start from random links */
    double beta;
    int sweeps;        /* of the heat bath */
    int reflections;   /* sweeps of reflections after each of those */
    int loops;         /* Wilson loops up to this size */
    int transform;     /* check gauge invariance */
    enum quark quark;
    double mass;       /* of a staggered quark */
    double kappa;      /* of a Wilson quark */
    int sources;       /* colours, or colours and spins, to start propagators from */
    double tolerance;
    int iterations;
};

void read_params(struct params *params, const char *path);

#endif
