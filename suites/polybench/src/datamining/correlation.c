/* SPDX-License-Identifier: Apache-2.0 */
/*
 * correlation: Pearson's correlation coefficients of m variables, observed n times (data: n x m).
 *
 *     mean[j]    = sum_i data[i][j] / n
 *     stddev[j]  = sqrt(sum_i (data[i][j] - mean[j])^2 / n), or 1 where that is 0.1 or less
 *     corr[j][k] = sum_i (data[i][j] - mean[j]) (data[i][k] - mean[k]) / (n stddev[j] stddev[k])
 */
#include <math.h>

#include "polybench.h"

/* m, n */
const int sizes[DATASETS][PARAMETERS] = {
    {28, 32}, {80, 100}, {240, 260}, {1200, 1400}, {2600, 3000},
};

static void correlation(int m, int n, double data[n][m], double corr[m][m], double mean[m],
                        double stddev[m])
{
    for (int j = 0; j < m; j++) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
    for (int j = 0; j < m; j++) {
        stddev[j] = 0;
        for (int i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] = sqrt(stddev[j] / n);
        if (stddev[j] <= 0.1)
            stddev[j] = 1;
    }

    /* To mean 0 and to standard deviation 1 / sqrt(n): what remains is data' data. */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            data[i][j] = (data[i][j] - mean[j]) / (sqrt(n) * stddev[j]);
    for (int j = 0; j < m; j++) {
        corr[j][j] = 1;
        for (int k = j + 1; k < m; k++) {
            corr[j][k] = 0;
            for (int i = 0; i < n; i++)
                corr[j][k] += data[i][j] * data[i][k];
            corr[k][j] = corr[j][k];
        }
    }
}

void run(const int *size, int repeats)
{
    int m = size[0], n = size[1];
    double (*data)[m] = allocate(sizeof(double[n][m]));
    double (*corr)[m] = allocate(sizeof(double[m][m]));
    double *mean = allocate(sizeof(double[m]));
    double *stddev = allocate(sizeof(double[m]));

    for (int r = 0; r < repeats; r++) {
        fill(data, n * sizeof *data, 'd');
        correlation(m, n, data, corr, mean, stddev);
    }
    dump(corr, m * sizeof *corr);
}
