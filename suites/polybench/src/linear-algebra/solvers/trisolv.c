/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trisolv: solution x of L x = b, L lower triangular, by forward substitution:
 *
 *     x[i] = (b[i] - sum_{j<i} L[i][j] x[j]) / L[i][i]
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

/* The lower triangle only, with a dominant diagonal: errors do not grow. */
static void init(int n, double L[n][n], double b[n])
{
    fill(b, n * sizeof *b, 'b');
    for (int i = 0; i < n; i++) {
        fill(L[i], (i + 1) * sizeof L[i][i], 'L' + (unsigned)(i * n));
        L[i][i] += n;
    }
}

static void trisolv(int n, double L[n][n], double x[n], double b[n])
{
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*L)[n] = allocate(sizeof(double[n][n]));
    double *b = allocate(sizeof(double[n]));
    double *x = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        init(n, L, b);
        trisolv(n, L, x, b);
    }
    dump(x, n * sizeof *x);
}
