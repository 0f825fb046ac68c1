/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gesummv: sum of two matrix-vector products, y = alpha A x + beta B x.
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{30}, {90}, {250}, {1300}, {2800}};

static void gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double ax[n],
                    double x[n], double y[n])
{
    for (int i = 0; i < n; i++) {
        ax[i] = 0;
        y[i] = 0;
        for (int j = 0; j < n; j++) {
            ax[i] += A[i][j] * x[j];
            y[i] += B[i][j] * x[j];
        }
        y[i] = alpha * ax[i] + beta * y[i];
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));
    double (*B)[n] = allocate(sizeof(double[n][n]));
    double *ax = allocate(sizeof(double[n]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(B, n * sizeof *B, 'B');
        fill(x, n * sizeof *x, 'x');
        gesummv(n, 1.5, 1.2, A, B, ax, x, y);
    }
    dump(y, n * sizeof *y);
}
