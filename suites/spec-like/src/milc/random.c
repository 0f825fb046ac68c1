/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: xorshift64* (Vigna, ACM TOMS 42, 2016), and Box and Muller's normal deviates. */
#include "elementary.h"
#include "lattice.h"

#include <math.h>

double uniform(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return ((double)((x * 0x2545f4914f6cdd1d) >> 12) + 0.5) * 0x1p-52;
}

void two_gaussians(uint64_t *state, double *first, double *second)
{
    double radius = sqrt(-2.0 * logarithm(uniform(state))), cosine, sine;

    circle(uniform(state), &cosine, &sine);
    *first = radius * cosine;
    *second = radius * sine;
}
