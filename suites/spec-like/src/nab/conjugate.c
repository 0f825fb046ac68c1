/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conjugate gradients (E. Polak and G. Ribière, 1969), beginning anew where the factor would be
 * negative, and after as many iterations as there are coordinates.
 */
#include "nab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAY 0.05 /* Angstrom that the coordinate with the largest slope moves */
#define BEND 0.2

int minimise_conjugate(struct model *model, struct point *point, int iterations, double enough, watch_function *watch)
{
    int atoms = model->molecule->atoms, count = 3 * atoms, done = 0;
    double *direction = allocate(count, sizeof *direction), *before = allocate(count, sizeof *before);
    double square = product(point->gradient, point->gradient, count), taken = 0.0, promised = 0.0;

    for (int i = 0; i < count; i++)
        direction[i] = -point->gradient[i];
    while (done < iterations && sqrt(square / count) > enough) {
        double slope = product(point->gradient, direction, count), factor, next;
        double guess = taken > 0.0 ? taken * promised / slope : FIRST_WAY / largest(direction, count);

        memcpy(before, point->gradient, (size_t)count * sizeof *before);
        if (!line_search(model, point, direction, guess, BEND, &taken))
            break;
        promised = slope;
        done++;
        watch(done, point, atoms);
        next = product(point->gradient, point->gradient, count);
        factor = (next - product(point->gradient, before, count)) / square;
        if (!(factor > 0.0) || done % count == 0)
            factor = 0.0;
        square = next;
        for (int i = 0; i < count; i++)
            direction[i] = factor * direction[i] - point->gradient[i];
        if (!(product(point->gradient, direction, count) < 0.0))
            for (int i = 0; i < count; i++)
                direction[i] = -point->gradient[i];
    }
    free(direction);
    free(before);
    return done;
}
