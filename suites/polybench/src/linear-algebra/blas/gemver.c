/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemver: two updates of rank one and two matrix-vector products.
 *
 *     A := A + u1 v1' + u2 v2'
 *     x  = beta A' y + z
 *     w  = alpha A x
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

static void gemver(int n, double alpha, double beta, double A[n][n], double u1[n], double v1[n],
                   double u2[n], double v2[n], double w[n], double x[n], double y[n], double z[n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] += u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < n; i++) {
        x[i] = z[i];
        for (int j = 0; j < n; j++)
            x[i] += beta * A[j][i] * y[j];
    }
    for (int i = 0; i < n; i++) {
        w[i] = 0;
        for (int j = 0; j < n; j++)
            w[i] += alpha * A[i][j] * x[j];
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));
    double *u1 = allocate(sizeof(double[n])), *v1 = allocate(sizeof(double[n]));
    double *u2 = allocate(sizeof(double[n])), *v2 = allocate(sizeof(double[n]));
    double *w = allocate(sizeof(double[n])), *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n])), *z = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(u1, n * sizeof *u1, 'u');
        fill(v1, n * sizeof *v1, 'v');
        fill(u2, n * sizeof *u2, 'U');
        fill(v2, n * sizeof *v2, 'V');
        fill(y, n * sizeof *y, 'y');
        fill(z, n * sizeof *z, 'z');
        gemver(n, 1.5, 1.2, A, u1, v1, u2, v2, w, x, y, z);
    }
    dump(w, n * sizeof *w);
}
