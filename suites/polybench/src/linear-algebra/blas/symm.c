/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symm: product with a symmetric matrix, C := alpha A B + beta C, with A: m x m, B and C: m x n.
 *
 * Of A only the lower triangle is read. Row i of it gives A[i][k] B[k] to C[i], and by symmetry
 * A[i][k] B[i] to the rows k above, which are scaled already.
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {60, 80}, {200, 240}, {1000, 1200}, {2000, 2600},
};

static void symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m],
                 double B[m][n])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * A[i][k] * B[i][j];
                sum += A[i][k] * B[k][j];
            }
            C[i][j] = beta * C[i][j] + alpha * A[i][i] * B[i][j] + alpha * sum;
        }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[m] = allocate(sizeof(double[m][m]));
    double (*B)[n] = allocate(sizeof(double[m][n]));
    double (*C)[n] = allocate(sizeof(double[m][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, m * sizeof *A, 'A');
        fill(B, m * sizeof *B, 'B');
        fill(C, m * sizeof *C, 'C');
        symm(m, n, 1.5, 1.2, C, A, B);
    }
    dump(C, m * sizeof *C);
}
