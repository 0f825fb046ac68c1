/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syr2k: symmetric update of rank 2m, C := alpha A B' + alpha B A' + beta C, with A, B: n x m.
 *
 * Only the lower triangle of C changes.
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {60, 80}, {200, 240}, {1000, 1200}, {2000, 2600},
};

static void syr2k(int m, int n, double alpha, double beta, double C[n][n], double A[n][m],
                  double B[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < m; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += alpha * A[i][k] * B[j][k] + alpha * B[i][k] * A[j][k];
    }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[m] = allocate(sizeof(double[n][m]));
    double (*B)[m] = allocate(sizeof(double[n][m]));
    double (*C)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        fill(A, n * sizeof *A, 'A');
        fill(B, n * sizeof *B, 'B');
        fill(C, n * sizeof *C, 'C');
        syr2k(m, n, 1.5, 1.2, C, A, B);
    }
    dump(C, n * sizeof *C);
}
