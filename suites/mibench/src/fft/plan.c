/* SPDX-License-Identifier: Apache-2.0 */
/* Twiddle factors by power series, and the order of the bit-reversed indices. */
#include "fft.h"

#include <stdio.h>
#include <stdlib.h>

#define PI 0x1.921fb54442d18p+1

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fputs("fft: not enough memory\n", stderr);
        exit(2);
    }
    return memory;
}

/* Both series for 0 <= angle <= pi/4. */
static struct complex_number first_octant(double angle)
{
    double square = angle * angle, cosine = 0.0, sine = 0.0;

    for (int k = 18; k > 0; k -= 2) {
        cosine = (1.0 - cosine) * square / (k * (k - 1));
        sine = (1.0 - sine) * square / (k * (k + 1));
    }
    return (struct complex_number){1.0 - cosine, angle * (1.0 - sine)};
}

struct complex_number unit_root(size_t part, size_t parts)
{
    size_t eighths = 8 * (part % parts);
    size_t octant = eighths / parts, rest = eighths % parts;
    /* Every other octant is run through backwards, so that the angle is exact at both ends. */
    double angle = PI / 4.0 * (double)(octant % 2 == 0 ? rest : parts - rest) / (double)parts;
    struct complex_number root = first_octant(angle);

    if ((octant + 1) / 2 % 2 == 1)
        root = (struct complex_number){root.im, root.re};
    if (octant >= 2 && octant <= 5)
        root.re = -root.re;
    if (octant >= 4)
        root.im = -root.im;
    return root;
}

void make_plan(struct plan *plan, size_t n)
{
    size_t reversed = 0;

    plan->n = n;
    plan->roots = allocate(n, sizeof *plan->roots);
    plan->reversed = allocate(n, sizeof *plan->reversed);
    plan->work = allocate(n, sizeof *plan->work);
    for (size_t k = 0; k < n; k++)
        plan->roots[k] = conjugate(unit_root(k, n));
    for (size_t k = 0; k < n; k++) {
        size_t bit = n >> 1;
        plan->reversed[k] = reversed;
        for (; reversed & bit; bit >>= 1)
            reversed ^= bit;
        reversed |= bit;
    }
}

void free_plan(struct plan *plan)
{
    free(plan->roots);
    free(plan->reversed);
    free(plan->work);
}
