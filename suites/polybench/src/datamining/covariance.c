/* SPDX-License-Identifier: Apache-2.0 */
/*
 * covariance: sample covariances of m variables, observed n times (data: n x m).
 *
 *     mean[j]   = sum_i data[i][j] / n
 *     cov[j][k] = sum_i (data[i][j] - mean[j]) (data[i][k] - mean[k]) / (n - 1)
 */
#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {28, 32}, {80, 100}, {240, 260}, {1200, 1400}, {2600, 3000},
};

static void covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] -= mean[j];
    for (int j = 0; j < m; j++)
        for (int k = j; k < m; k++) {
            cov[j][k] = 0;
            for (int i = 0; i < n; i++)
                cov[j][k] += data[i][j] * data[i][k];
            cov[j][k] /= n - 1;
            cov[k][j] = cov[j][k];
        }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*data)[m] = allocate(sizeof(double[n][m]));
    double (*cov)[m] = allocate(sizeof(double[m][m]));
    double *mean = allocate(sizeof(double[m]));

    for (int r = 0; r < repeats; r++) {
        fill(data, n * sizeof *data, 'd');
        covariance(m, n, data, cov, mean);
    }
    dump(cov, m * sizeof *cov);
}
