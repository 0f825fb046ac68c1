/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat-3d: heat conduction in a cube. Each of tsteps goes from A to B and back to A; in each, an
 * inner point gains, in all three dimensions, an eighth of its second difference:
 *
 *     to[i] = from[i] + 1/8 (from[i+1] - 2 from[i] + from[i-1])  + the same in j and in k
 */
#include "polybench.h"

/* tsteps, n */
const int sizes[DATASETS][PARAMETERS] = {{20, 10}, {40, 20}, {100, 40}, {500, 120}, {1000, 200}};

static void step(int n, double to[n][n][n], double from[n][n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                double x = from[i][j][k];
                to[i][j][k] = 0.125 * (from[i + 1][j][k] - 2 * x + from[i - 1][j][k])
                            + 0.125 * (from[i][j + 1][k] - 2 * x + from[i][j - 1][k])
                            + 0.125 * (from[i][j][k + 1] - 2 * x + from[i][j][k - 1])
                            + x;
            }
}

static void heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n])
{
    for (int t = 0; t < tsteps; t++) {
        step(n, B, A);
        step(n, A, B);
    }
}

void run(const int *size, int repeats)
{
    int tsteps = size[0], n = size[1];
    double (*A)[n][n] = allocate(sizeof(double[n][n][n]));
    double (*B)[n][n] = allocate(sizeof(double[n][n][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(B, n * sizeof *B, 'A');
        heat_3d(tsteps, n, A, B);
    }
    dump(A, n * sizeof *A);
}
