/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 3mm: three matrix products, G = (A B) (C D), with E = A B and F = C D.
 *
 * A: ni x nk, B: nk x nj, C: nj x nm, D: nm x nl.
 */
#include "polybench.h"

/* ni, nj, nk, nl, nm */
const int sizes[DATASETS][PARAMETERS] = {
    {16, 18, 20, 22, 24},
    {40, 50, 60, 70, 80},
    {180, 190, 200, 210, 220},
    {800, 900, 1000, 1100, 1200},
    {1600, 1800, 2000, 2200, 2400},
};

static void multiply(int ni, int nj, int nk, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            C[i][j] = 0;
            for (int k = 0; k < nk; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

static void three_mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj], double A[ni][nk],
                     double B[nk][nj], double F[nj][nl], double C[nj][nm], double D[nm][nl],
                     double G[ni][nl])
{
    multiply(ni, nj, nk, E, A, B);
    multiply(nj, nl, nm, F, C, D);
    multiply(ni, nl, nj, G, E, F);
}

void run(const int *size, int repeats)
{
    int ni = size[0], nj = size[1], nk = size[2], nl = size[3], nm = size[4];
    double (*A)[nk] = allocate(sizeof(double[ni][nk]));
    double (*B)[nj] = allocate(sizeof(double[nk][nj]));
    double (*C)[nm] = allocate(sizeof(double[nj][nm]));
    double (*D)[nl] = allocate(sizeof(double[nm][nl]));
    double (*E)[nj] = allocate(sizeof(double[ni][nj]));
    double (*F)[nl] = allocate(sizeof(double[nj][nl]));
    double (*G)[nl] = allocate(sizeof(double[ni][nl]));

    for (int r = 0; r < repeats; r++) {
        fill(A, ni * sizeof *A, 'A');
        fill(B, nk * sizeof *B, 'B');
        fill(C, nj * sizeof *C, 'C');
        fill(D, nm * sizeof *D, 'D');
        three_mm(ni, nj, nk, nl, nm, E, A, B, F, C, D, G);
    }
    dump(G, ni * sizeof *G);
}
