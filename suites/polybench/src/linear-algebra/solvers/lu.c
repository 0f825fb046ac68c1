/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lu: factors of a matrix without pivoting, A = L U, in place of A; L has a unit diagonal that is
 * not stored. Row by row:
 *
 *     L[i][j] = (A[i][j] - sum_{k<j} L[i][k] U[k][j]) / U[j][j],  j < i
 *     U[i][j] =  A[i][j] - sum_{k<i} L[i][k] U[k][j],             j >= i
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

/* A dominant diagonal: no pivots are needed. */
static void init(int n, double A[n][n])
{
    fill(A, n * sizeof *A, 'A');
    for (int i = 0; i < n; i++)
        A[i][i] += n;
}

static void lu(int n, double A[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < n; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        init(n, A);
        lu(n, A);
    }
    dump(A, n * sizeof *A);
}
