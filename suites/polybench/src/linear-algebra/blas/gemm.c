/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm: general matrix product, C := alpha A B + beta C, with A: ni x nk and B: nk x nj.
 */
#include "polybench.h"

/* ni, nj, nk */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 25, 30}, {60, 70, 80}, {200, 220, 240}, {1000, 1100, 1200}, {2000, 2300, 2600},
};

static void gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                 double A[ni][nk], double B[nk][nj])
{
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++)
            C[i][j] *= beta;
        for (int k = 0; k < nk; k++)
            for (int j = 0; j < nj; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

void run(const int *size, int repeats)
{
    int ni = size[0], nj = size[1], nk = size[2];
    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    double (*C)[nj] = allocate(sizeof(double[ni][nj]));

    for (int r = 0; r < repeats; r++) {
        fill(A, ni * sizeof *A, 'A');
        fill(B, nk * sizeof *B, 'B');
        fill(C, ni * sizeof *C, 'C');
        gemm(ni, nj, nk, 1.5, 1.2, C, A, B);
    }
    dump(C, ni * sizeof *C);
}
