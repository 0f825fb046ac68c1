/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 2mm: two matrix products, D := alpha A B C + beta D.
 *
 * A: ni x nk, B: nk x nj, C: nj x nl; AB holds alpha A B.
 */
#include "polybench.h"

/* ni, nj, nk, nl */
const int sizes[DATASETS][PARAMETERS] = {
    {16, 18, 22, 24},
    {40, 50, 70, 80},
    {180, 190, 210, 220},
    {800, 900, 1100, 1200},
    {1600, 1800, 2200, 2400},
};

static void two_mm(int ni, int nj, int nk, int nl, double alpha, double beta, double AB[ni][nj],
                   double A[ni][nk], double B[nk][nj], double C[nj][nl], double D[ni][nl])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            AB[i][j] = 0;
            for (int k = 0; k < nk; k++)
                AB[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nl; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < nj; k++)
                D[i][j] += AB[i][k] * C[k][j];
        }
}

void run(const int *size, int repeats)
{
    int ni = size[0], nj = size[1], nk = size[2], nl = size[3];
    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    double (*C)[nl] = allocate(sizeof(double[nj][nl]));
    double (*D)[nl] = allocate(sizeof(double[ni][nl]));
    double (*AB)[nj] = allocate(sizeof(double[ni][nj]));

    for (int r = 0; r < repeats; r++) {
        fill(A, ni * sizeof *A, 'A');
        fill(B, nk * sizeof *B, 'B');
        fill(C, nj * sizeof *C, 'C');
        fill(D, ni * sizeof *D, 'D');
        two_mm(ni, nj, nk, nl, 1.5, 1.2, AB, A, B, C, D);
    }
    dump(D, ni * sizeof *D);
}
