/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ludcmp: solution x of A x = b by A = L U without pivoting, then L y = b forward and U x = y
 * backward. As lu, but every sum in a scalar of its own.
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{40}, {120}, {400}, {2000}, {4000}};

/* A dominant diagonal: no pivots are needed. */
static void init(int n, double A[n][n], double b[n])
{
    fill(A, n * sizeof *A, 'A');
    fill(b, n * sizeof *b, 'b');
    for (int i = 0; i < n; i++)
        A[i][i] += n;
}

static void ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n])
{
    double w;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            w = A[i][j];
            for (int k = 0; k < j; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w / A[j][j];
        }
        for (int j = i; j < n; j++) {
            w = A[i][j];
            for (int k = 0; k < i; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w;
        }
    }
    for (int i = 0; i < n; i++) {
        w = b[i];
        for (int j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }
    for (int i = n - 1; i >= 0; i--) {
        w = y[i];
        for (int j = i + 1; j < n; j++)
            w -= A[i][j] * x[j];
        x[i] = w / A[i][i];
    }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    double (*A)[n] = allocate(sizeof(double[n][n]));
    double *b = allocate(sizeof(double[n]));
    double *x = allocate(sizeof(double[n]));
    double *y = allocate(sizeof(double[n]));

    for (int r = 0; r < repeats; r++) {
        init(n, A, b);
        ludcmp(n, A, b, x, y);
    }
    dump(x, n * sizeof *x);
}
