/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seidel-2d: each of tsteps replaces the inner points, row by row and in place, by the mean of the
 * nine points around and at them; those before (i, j) are new already (Gauss-Seidel):
 *
 *     A[i][j] := sum_{-1 <= k, l <= 1} A[i+k][j+l] / 9
 */
#include "polybench.h"

/* tsteps, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 40}, {40, 120}, {100, 400}, {500, 2000}, {1000, 4000},
};

static void seidel_2d(int tsteps, int n, double A[n][n])
{
    for (int t = 0; t < tsteps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9;
}

void run(const int *size, int repeats)
{
    int tsteps = size[0], n = size[1];
    double (*A)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        seidel_2d(tsteps, n, A);
    }
    dump(A, n * sizeof *A);
}
