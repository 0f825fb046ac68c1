/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atax: y = A' (A x), with A: m x n, in one pass over its rows.
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {38, 42}, {116, 124}, {390, 410}, {1900, 2100}, {1800, 2200},
};

static void atax(int m, int n, double A[m][n], double x[n], double y[n], double ax[m])
{
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++) {
        ax[i] = 0;
        for (int j = 0; j < n; j++)
            ax[i] += A[i][j] * x[j];
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * ax[i];
    }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[n] = allocate(sizeof(double[m][n]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));
    double *ax = allocate(sizeof(double[m]));

    for (int r = 0; r < repeats; r++) {
        fill(A, m * sizeof *A, 'A');
        fill(x, n * sizeof *x, 'x');
        atax(m, n, A, x, y, ax);
    }
    dump(y, n * sizeof *y);
}
