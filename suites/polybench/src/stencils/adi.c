/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adi: heat conduction in a square by alternating directions (Peaceman and Rachford 1955). With
 * a = -dt/dx^2, d = a/2 and the second difference D2 of neighbours, each step solves
 *
 *     v + a D2y v = u - d D2x u,  then  u + d D2x u = v - a D2y v
 *
 * on the inner points, with 1 at the two ends of each line that is solved along. Every line is a
 * tridiagonal system: its elimination leaves v[j] = p[j] v[j+1] + q[j] (Thomas 1949).
 */
#include "polybench.h"

/* tsteps, n */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 20}, {40, 60}, {100, 200}, {500, 1000}, {1000, 2000},
};

static void adi(int tsteps, int n, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    double dx = 1.0 / n, dt = 1.0 / tsteps;
    double a = -dt / (dx * dx), b = 1 - 2 * a;
    double d = a / 2, e = 1 - 2 * d;

    for (int t = 0; t < tsteps; t++) {
        /* Along the columns of v. */
        for (int i = 1; i < n - 1; i++) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -a / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - d * u[j][i + 1]
                           - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1;
            for (int j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        /* Along the rows of u. */
        for (int i = 1; i < n - 1; i++) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; j++) {
                p[i][j] = -d / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - a * v[i + 1][j]
                           - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1;
            for (int j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}

void run(const int *size, int repeats)
{
    int tsteps = size[0], n = size[1];
    double (*u)[n] = allocate(sizeof(double[n][n]));
    double (*v)[n] = allocate(sizeof(double[n][n]));
    double (*p)[n] = allocate(sizeof(double[n][n]));
    double (*q)[n] = allocate(sizeof(double[n][n]));

    for (int r = 0; r < repeats; r++) {
        fill(u, n * sizeof *u, 'u');
        adi(tsteps, n, u, v, p, q);
    }
    dump(u, n * sizeof *u);
}
