/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jacobi-1d: each of tsteps goes from A to B and back to A; in each, an inner point becomes the
 * mean, to five digits, of itself and its neighbours:
 *
 *     to[i] = 0.33333 (from[i-1] + from[i] + from[i+1])
 */
#include "polybench.h"

/* tsteps, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {40, 120}, {100, 400}, {500, 2000}, {1000, 4000},
};

static void step(int n, double to[n], double from[n])
{
    for (int i = 1; i < n - 1; i++)
        to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
}

static void jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
    for (int t = 0; t < tsteps; t++) {
        step(n, B, A);
        step(n, A, B);
    }
}

void run(const int *size, int repeats)
{
    int tsteps = size[0], n = size[1];
    double *A = allocate(sizeof(double[n]));
    double *B = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(B, n * sizeof *B, 'B');
        jacobi_1d(tsteps, n, A, B);
    }
    dump(A, n * sizeof *A);
}
