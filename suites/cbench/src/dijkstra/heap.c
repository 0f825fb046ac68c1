/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest paths by settling the nearest waiting node, on adjacency lists.
 * E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959;
 * the waiting nodes are in a binary heap (J. W. J. Williams, "Algorithm 232: Heapsort",
 * CACM 7(6), 1964) that knows each node's place, so that a key can be decreased.
 */
#include "graph.h"

#include <stdlib.h>

#define ABSENT (-1)

struct heap {
    const int64_t *key;
    int *node;         /* node[0] has the smallest key; the children of i are 2i + 1 and 2i + 2 */
    int *place;        /* where a node is in the heap, or ABSENT */
    int count;
};

static void set_place(struct heap *heap, int place, int node)
{
    heap->node[place] = node;
    heap->place[node] = place;
}

static void sift_up(struct heap *heap, int place, struct effort *effort)
{
    int node = heap->node[place];

    while (place > 0) {
        int above = (place - 1) / 2;

        if (heap->key[heap->node[above]] <= heap->key[node])
            break;
        set_place(heap, place, heap->node[above]);
        place = above;
        effort->moved++;
    }
    set_place(heap, place, node);
}

static void sift_down(struct heap *heap, int place, struct effort *effort)
{
    int node = heap->node[place];

    for (;;) {
        int below = 2 * place + 1;

        if (below >= heap->count)
            break;
        if (below + 1 < heap->count && heap->key[heap->node[below + 1]] < heap->key[heap->node[below]])
            below++;
        if (heap->key[heap->node[below]] >= heap->key[node])
            break;
        set_place(heap, place, heap->node[below]);
        place = below;
        effort->moved++;
    }
    set_place(heap, place, node);
}

/* The node's key went down (or the node is new): restore the heap's order. */
static void decrease(struct heap *heap, int node, struct effort *effort)
{
    if (heap->place[node] == ABSENT) {
        set_place(heap, heap->count, node);
        heap->count++;
        if (heap->count > effort->peak)
            effort->peak = heap->count;
    }
    sift_up(heap, heap->place[node], effort);
}

static int take_nearest(struct heap *heap, struct effort *effort)
{
    int nearest = heap->node[0];

    heap->place[nearest] = ABSENT;
    heap->count--;
    if (heap->count > 0) {
        set_place(heap, 0, heap->node[heap->count]);
        sift_down(heap, 0, effort);
    }
    return nearest;
}

void search_with_heap(const struct graph *graph, int source, struct tree *tree, struct effort *effort)
{
    struct heap heap = {tree->distance, allocate(graph->nodes, sizeof(int)),
                        allocate(graph->nodes, sizeof(int)), 0};

    reset_tree(tree, graph->nodes, source);
    for (int i = 0; i < graph->nodes; i++)
        heap.place[i] = ABSENT;
    decrease(&heap, source, effort);
    while (heap.count > 0) {
        int from = take_nearest(&heap, effort);

        effort->scanned++;
        for (int i = graph->first[from]; i < graph->first[from + 1]; i++) {
            int to = graph->arcs[i].to;
            int64_t distance = tree->distance[from] + graph->arcs[i].weight;

            if (distance < tree->distance[to]) {
                tree->distance[to] = distance;
                tree->parent[to] = from;
                effort->improved++;
                decrease(&heap, to, effort);
            } else if (distance == tree->distance[to] && from < tree->parent[to]) {
                tree->parent[to] = from;
            }
        }
    }
    free(heap.node);
    free(heap.place);
}
