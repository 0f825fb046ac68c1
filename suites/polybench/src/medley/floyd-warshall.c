/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floyd-warshall: lengths of the shortest paths between all nodes of a graph (Floyd 1962). After
 * round k, path[i][j] is the shortest over nodes up to k:
 *
 *     path[i][j] := min(path[i][j], path[i][k] + path[k][j])
 */
#include "polybench.h"

enum { NO_EDGE = 9999 };

/* n */
const int sizes[DATASETS][PARAMETERS] = {{60}, {180}, {500}, {2800}, {5600}};

/* Edges between about one pair in 16, of lengths 1 to 256. */
static void init(int n, int path[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int length = 1 + (int)((unsigned)(i * n + j) * 0x9E3779B9u >> 20);
            path[i][j] = length <= 256 ? length : NO_EDGE;
        }
        path[i][i] = 0;
    }
}

static void floyd_warshall(int n, int path[n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (path[i][k] + path[k][j] < path[i][j])
                    path[i][j] = path[i][k] + path[k][j];
}

void run(const int *size, int repeats)
{
    int n = size[0];
    int (*path)[n] = allocate(sizeof(int[n][n]));

    for (int r = 0; r < repeats; r++) {
        init(n, path);
        floyd_warshall(n, path);
    }
    dump(path, n * sizeof *path);
}
