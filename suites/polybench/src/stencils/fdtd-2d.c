/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fdtd-2d: an electromagnetic field in two dimensions by finite differences in time (Yee 1966), on
 * nx x ny points. Each step of time t, with a source along the first row of ey:
 *
 *     ey[0][j] := t
 *     ey[i][j] -= 0.5 (hz[i][j] - hz[i-1][j]),  i > 0
 *     ex[i][j] -= 0.5 (hz[i][j] - hz[i][j-1]),  j > 0
 *     hz[i][j] -= 0.7 (ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j]),  i < nx - 1, j < ny - 1
 */
#include "polybench.h"

/* tmax, nx, ny */
const int sizes[DATASETS][PARAMETERS] = {
    {20, 20, 30}, {40, 60, 80}, {100, 200, 240}, {500, 1000, 1200}, {1000, 2000, 2600},
};

static void fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny],
                    double hz[nx][ny])
{
    for (int t = 0; t < tmax; t++) {
        for (int j = 0; j < ny; j++)
            ey[0][j] = t;
        for (int i = 1; i < nx; i++)
            for (int j = 0; j < ny; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < nx; i++)
            for (int j = 1; j < ny; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < nx - 1; i++)
            for (int j = 0; j < ny - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}

void run(const int *size, int repeats)
{
    int tmax = size[0], nx = size[1], ny = size[2];
    double (*ex)[ny] = allocate(sizeof(double[nx][ny]));
    double (*ey)[ny] = allocate(sizeof(double[nx][ny]));
    double (*hz)[ny] = allocate(sizeof(double[nx][ny]));

    for (int r = 0; r < repeats; r++) {
        fill(ex, nx * sizeof *ex, 'x');
        fill(ey, nx * sizeof *ey, 'y');
        fill(hz, nx * sizeof *hz, 'z');
        fdtd_2d(tmax, nx, ny, ex, ey, hz);
    }
    dump(ex, nx * sizeof *ex);
    dump(ey, nx * sizeof *ey);
    dump(hz, nx * sizeof *hz);
}
