/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durbin: solution y of the Yule-Walker equations T y = -r by Durbin's recursion (1960), where T is
 * the symmetric Toeplitz matrix with 1 on its diagonal and r[k-1] on the k-th beside it.
 *
 * The solution of order k, read backwards and scaled by the reflection coefficient alpha, corrects
 * itself to that of order k + 1; beta is the error of the prediction.
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

/* Convex and falling to 0: T is positive definite (Polya). */
static void init(int n, double r[n])
{
    for (int k = 0; k < n; k++)
        r[k] = 1.0 / (k + 2);
}

static void durbin(int n, double r[n], double y[n], double z[n])
{
    double alpha = -r[0], beta = 1;

    y[0] = alpha;
    for (int k = 1; k < n; k++) {
        double sum = r[k];

        beta *= 1 - alpha * alpha;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -sum / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double *r = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    double *z = allocate(sizeof(double[n]));

    for (int repeat = 0; repeat < repeats; repeat++) {
        init(n, r);
        durbin(n, r, y, z);
    }
    dump(y, n * sizeof *y);
}
