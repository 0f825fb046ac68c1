/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mvt: products of a matrix and of its transpose, x1 := x1 + A y1 and x2 := x2 + A' y2.
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

static void mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x1[i] += A[i][j] * y1[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x2[i] += A[j][i] * y2[j];
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));
    double *x1 = allocate(sizeof(double[n])), *y1 = allocate(sizeof(double[n]));
    double *x2 = allocate(sizeof(double[n])), *y2 = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(x1, n * sizeof *x1, 'x');
        fill(y1, n * sizeof *y1, 'y');
        fill(x2, n * sizeof *x2, 'X');
        fill(y2, n * sizeof *y2, 'Y');
        mvt(n, x1, x2, y1, y2, A);
    }
    dump(x1, n * sizeof *x1);
    dump(x2, n * sizeof *x2);
}
