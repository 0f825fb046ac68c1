/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jacobi-2d: each of tsteps goes from A to B and back to A; in each, an inner point becomes the
 * mean of itself and its four neighbours:
 *
 *     to[i][j] = 0.2 (from[i][j] + from[i][j-1] + from[i][j+1] + from[i+1][j] + from[i-1][j])
 */
#include "polybench.h"

/* tsteps, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {40, 90}, {100, 250}, {500, 1300}, {1000, 2800},
};

static void step(int n, double to[n][n], double from[n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            to[i][j] = 0.2 * (from[i][j] + from[i][j - 1] + from[i][j + 1]
                              + from[i + 1][j] + from[i - 1][j]);
}

static void jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
    for (int t = 0; t < tsteps; t++) {
        step(n, B, A);
        step(n, A, B);
    }
}

void run(const int *size, int repeats)
{
    int tsteps = size[0], n = size[1];
    double (*A)[n] = allocate(sizeof(double[n][n]));
    double (*B)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(B, n * sizeof *B, 'B');
        jacobi_2d(tsteps, n, A, B);
    }
    dump(A, n * sizeof *A);
}
