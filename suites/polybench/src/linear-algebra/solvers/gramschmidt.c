/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gramschmidt: QR factors of A: n x m by the modified Gram-Schmidt method; Q: n x m has orthonormal
 * columns, R: m x m is upper triangular, A = Q R. For each column k:
 *
 *     R[k][k] = |A[.][k]|,  Q[.][k] = A[.][k] / R[k][k]
 *     R[k][j] = Q[.][k]' A[.][j],  A[.][j] := A[.][j] - R[k][j] Q[.][k],  j > k
 */
#include <math.h>

#include "polybench.h"

/* m, n: n > m, so that the columns can be independent */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 30}, {60, 80}, {200, 240}, {1000, 1200}, {2000, 2600},
};

static void init(int m, int n, double A[n][m], double R[m][m])
{
    fill(A, n * sizeof *A, 'A');
    for (int j = 0; j < m; j++) {
        A[j][j] += 1;
        for (int k = 0; k < m; k++)
            R[j][k] = 0;
    }
}

static void gramschmidt(int m, int n, double A[n][m], double Q[n][m], double R[m][m])
{
    for (int k = 0; k < m; k++) {
        double square = 0;

        for (int i = 0; i < n; i++)
            square += A[i][k] * A[i][k];
        R[k][k] = sqrt(square);
        for (int i = 0; i < n; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < m; j++) {
            for (int i = 0; i < n; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < n; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[m] = allocate(sizeof(double[n][m]));
    double (*Q)[m] = allocate(sizeof(double[n][m]));
    double (*R)[m] = allocate(sizeof(double[m][m]));

    for (int r = 0; r < repeats; r++) {
        init(m, n, A, R);
        gramschmidt(m, n, A, Q, R);
    }
    dump(R, m * sizeof *R);
    dump(Q, n * sizeof *Q);
}
