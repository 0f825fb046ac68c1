/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trmm: product with a triangular matrix, B := alpha A' B, with A: m x m and B: m x n.
 *
 * Of A only the part below the diagonal is read; the diagonal counts as 1, what is above as 0.
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {60, 80}, {200, 240}, {1000, 1200}, {2000, 2600},
};

static void trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int k = i + 1; k < m; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] *= alpha;
        }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[m] = allocate(sizeof(double[m][m]));
    double (*B)[n] = allocate(sizeof(double[m][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, m * sizeof *A, 'A');
        fill(B, m * sizeof *B, 'B');
        trmm(m, n, 1.5, A, B);
    }
    dump(B, m * sizeof *B);
}
