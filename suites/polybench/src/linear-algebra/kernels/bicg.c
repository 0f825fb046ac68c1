/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bicg: the two products of the biconjugate gradient method, q = A p and s = A' r, with A: n x m,
 * in one pass over A.
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {38, 42}, {116, 124}, {390, 410}, {1900, 2100}, {1800, 2200},
};

static void bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n])
{
    for (int j = 0; j < m; j++)
        s[j] = 0;
    for (int i = 0; i < n; i++) {
        q[i] = 0;
        for (int j = 0; j < m; j++) {
            s[j] += A[i][j] * r[i];
            q[i] += A[i][j] * p[j];
        }
    }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*A)[m] = allocate(sizeof(double[n][m]));
    double *s = allocate(sizeof(double[m])), *q = allocate(sizeof(double[n]));
    double *p = allocate(sizeof(double[m])), *r = allocate(sizeof(double[n]));

    for (int repeat = 0; repeat < repeats; repeat++) {
        fill(A, n * sizeof *A, 'A');
        fill(p, m * sizeof *p, 'p');
        fill(r, n * sizeof *r, 'r');
        bicg(m, n, A, s, q, p, r);
    }
    dump(s, m * sizeof *s);
    dump(q, n * sizeof *q);
}
