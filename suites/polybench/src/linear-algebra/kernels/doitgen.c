/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doitgen: a step of multiresolution analysis (MADNESS), A := A C4 in the last dimension:
 *
 *     A[r][q][p] := sum_s A[r][q][s] C4[s][p]
 */
#include "polybench.h"

/* nq, nr, np */
const int sizes[DATASETS][PARAMETERS] = {
    {8, 10, 12}, {20, 25, 30}, {40, 50, 60}, {140, 150, 160}, {220, 250, 270},
};

static void doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np], double sum[np])
{
    for (int r = 0; r < nr; r++)
        for (int q = 0; q < nq; q++) {
            for (int p = 0; p < np; p++) {
                sum[p] = 0;
                for (int s = 0; s < np; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            for (int p = 0; p < np; p++)
                A[r][q][p] = sum[p];
        }
}

void run(const int *size, int repeats)
{
    int nq = size[0], nr = size[1], np = size[2];
    double (*A)[nq][np] = allocate(sizeof(double[nr][nq][np]));
    double (*C4)[np] = allocate(sizeof(double[np][np]));
    double *sum = allocate(sizeof(double[np]));

    for (int r = 0; r < repeats; r++) {
        fill(A, nr * sizeof *A, 'A');
        fill(C4, np * sizeof *C4, 'C');
        doitgen(nr, nq, np, A, C4, sum);
    }
    dump(A, nr * sizeof *A);
}
