/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cholesky: factor L of a symmetric positive definite matrix, A = L L', in place of A's lower
 * triangle. Row by row:
 *
 *     L[i][j] = (A[i][j] - sum_{k<j} L[i][k] L[j][k]) / L[j][j],  j < i
 *     L[i][i] = sqrt(A[i][i] - sum_{k<i} L[i][k]^2)
 */
#include <math.h>

#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

/* Symmetric, with a dominant diagonal. */
static void init(int n, double A[n][n])
{
    fill(A, n * sizeof *A, 'A');
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            A[j][i] = A[i][j];
        A[i][i] += n;
    }
}

static void cholesky(int n, double A[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        init(n, A);
        cholesky(n, A);
    }
    dump(A, n * sizeof *A);
}
