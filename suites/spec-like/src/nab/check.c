/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the gradient: against differences of the energy, and that a molecule does not push itself. */
#include "nab.h"

#include <math.h>

#define STEP 1e-4 /* Angstrom; short, as the second derivatives of Born radii jump where spheres touch */

static double energy_beside(struct model *model, struct point *point, int coordinate, double by)
{
    double kept = point->x[coordinate];

    point->x[coordinate] = kept + by;
    evaluate(model, point);
    point->x[coordinate] = kept;
    return point->energy;
}

/*
 * The largest difference between the gradient and differences of the energy (of fourth order), for
 * some coordinates, as a part of the root of the mean squared slope.
 */
double check_gradient(struct model *model, const struct point *point, int coordinates)
{
    int atoms = model->molecule->atoms, count = 3 * atoms;
    int stride = coordinates < count ? count / coordinates : 1;
    double mean = sqrt(product(point->gradient, point->gradient, count) / count), worst = 0.0;
    struct point beside;

    new_point(&beside, atoms);
    copy_point(&beside, point, atoms);
    for (int i = 0; i < count; i += stride) {
        double near = energy_beside(model, &beside, i, STEP) - energy_beside(model, &beside, i, -STEP);
        double far = energy_beside(model, &beside, i, 2.0 * STEP) - energy_beside(model, &beside, i, -2.0 * STEP);
        double off = fabs((8.0 * near - far) / (12.0 * STEP) - point->gradient[i]);

        if (!(off <= worst))
            worst = off;
    }
    free_point(&beside);
    return worst / (mean + 1e-9);
}

/* The sums of all slopes, and of all slopes' torques; both are 0 but for rounding. */
void total_force(const struct point *point, int atoms, double *force, double *torque)
{
    for (int k = 0; k < 3; k++)
        force[k] = torque[k] = 0.0;
    for (int i = 0; i < atoms; i++) {
        const double *x = point->x + 3 * i, *slope = point->gradient + 3 * i;

        for (int k = 0; k < 3; k++) {
            force[k] += slope[k];
            torque[k] += x[(k + 1) % 3] * slope[(k + 2) % 3] - x[(k + 2) % 3] * slope[(k + 1) % 3];
        }
    }
}
