/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nussinov: the most base pairs that an RNA sequence can form when it folds (Nussinov 1978), for
 * each part i..j of it, i < j:
 *
 *     table[i][j] = max(table[i+1][j], table[i][j-1],
 *                       table[i+1][j-1] + (bases i and j pair, and are no neighbours),
 *                       max_{i<k<j} table[i][k] + table[k+1][j])
 *
 * Bases are 0 to 3; those that add up to 3 pair. Other entries of the table are 0.
 */
#include "polybench.h"

/* n */
const int sizes[DATASETS][PARAMETERS] = {{60}, {180}, {500}, {2500}, {5500}};

/* The bases go round in golden sections. */
static void init(int n, char seq[n], int table[n][n])
{
    for (int i = 0; i < n; i++) {
        seq[i] = (char)((unsigned)i * 0x9E3779B9u >> 30);
        for (int j = 0; j < n; j++)
            table[i][j] = 0;
    }
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static void nussinov(int n, char seq[n], int table[n][n])
{
    for (int i = n - 2; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            int pair = i < j - 1 && seq[i] + seq[j] == 3;

            table[i][j] = max(table[i + 1][j], table[i][j - 1]);
            table[i][j] = max(table[i][j], table[i + 1][j - 1] + pair);
            for (int k = i + 1; k < j; k++)
                table[i][j] = max(table[i][j], table[i][k] + table[k + 1][j]);
        }
}

void run(const int *size, int repeats)
{
    int n = size[0];
    char *seq = allocate(sizeof(char[n]));
    int (*table)[n] = allocate(sizeof(int[n][n]));

    for (int r = 0; r < repeats; r++) {
        init(n, seq, table);
        nussinov(n, seq, table);
    }
    dump(table, n * sizeof *table);
}
