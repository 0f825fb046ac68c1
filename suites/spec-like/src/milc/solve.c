/* SPDX-License-Identifier: Apache-2.0 */
/* The method of conjugate gradients: Hestenes and Stiefel, Journal of Research of the NBS 49, 1952. */
#include "fermion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double inner(const double *a, const double *b, long length)
{
    double sum = 0.0;

    for (long i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

int conjugate_gradient(operation *operate, void *context, long length, const double *b, double *x,
                       const struct limits *limits)
{
    double *residual = allocate(length, sizeof *residual), *step = allocate(length, sizeof *step);
    double *image = allocate(length, sizeof *image);
    double square = inner(b, b, length), goal = square * limits->tolerance * limits->tolerance;
    int count = 0;

    memset(x, 0, (size_t)length * sizeof *x);
    memcpy(residual, b, (size_t)length * sizeof *b);
    memcpy(step, b, (size_t)length * sizeof *b);
    while (square > goal && count++ < limits->iterations) {
        double before = square, width, ratio;

        operate(context, step, image);
        width = square / inner(step, image, length);
        for (long i = 0; i < length; i++) {
            x[i] += width * step[i];
            residual[i] -= width * image[i];
        }
        square = inner(residual, residual, length);
        ratio = square / before;
        for (long i = 0; i < length; i++)
            step[i] = residual[i] + ratio * step[i];
    }
    free(residual);
    free(step);
    free(image);
    return count;
}
