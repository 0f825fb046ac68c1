/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest paths with a first-in first-out queue of nodes whose distance went down, on the matrix.
 * E. F. Moore, "The shortest path through a maze", 1957 (algorithm D): a node may be scanned
 * several times, so that no order of the waiting nodes has to be kept.
 */
#include "graph.h"

#include <stdlib.h>

/* A ring of node numbers; a node is in it at most once, so a ring of all nodes never overflows. */
struct ring {
    int *slot;
    char *waiting;
    int size;
    int head;
    int count;
};

static void put(struct ring *ring, int node, struct effort *effort)
{
    int tail = ring->head + ring->count;

    if (ring->waiting[node])
        return;
    if (tail >= ring->size)
        tail -= ring->size;
    ring->slot[tail] = node;
    ring->waiting[node] = 1;
    ring->count++;
    effort->moved++;
    if (ring->count > effort->peak)
        effort->peak = ring->count;
}

static int take(struct ring *ring)
{
    int node = ring->slot[ring->head];

    if (++ring->head == ring->size)
        ring->head = 0;
    ring->count--;
    ring->waiting[node] = 0;
    return node;
}

void search_with_queue(const struct graph *graph, int source, struct tree *tree, struct effort *effort)
{
    struct ring ring = {allocate(graph->nodes, sizeof(int)), allocate(graph->nodes, 1), graph->nodes, 0, 0};

    reset_tree(tree, graph->nodes, source);
    put(&ring, source, effort);
    while (ring.count > 0) {
        int from = take(&ring);
        const int *row = graph->weight + from * graph->nodes;

        effort->scanned++;
        for (int to = 0; to < graph->nodes; to++) {
            int64_t distance = tree->distance[from] + row[to];

            if (row[to] == 0)
                continue;
            if (distance < tree->distance[to]) {
                tree->distance[to] = distance;
                tree->parent[to] = from;
                effort->improved++;
                put(&ring, to, effort);
            } else if (distance == tree->distance[to] && from < tree->parent[to]) {
                tree->parent[to] = from;
            }
        }
    }
    free(ring.slot);
    free(ring.waiting);
}
