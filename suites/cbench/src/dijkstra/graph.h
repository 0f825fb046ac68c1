/* SPDX-License-Identifier: Apache-2.0 */
/* Directed graphs with positive weights, and trees of shortest paths in them. */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdint.h>

#define NO_NODE (-1)
#define UNREACHED INT64_MAX

/* An outgoing edge. */
struct arc {
    int to;
    int weight;
};

struct graph {
    int nodes;
    int edges;
    int lightest;      /* smallest weight of an edge, 0 without edges */
    int heaviest;      /* largest weight of an edge, 0 without edges */
    int *weight;       /* nodes x nodes, row = from, column = to, 0 = no edge */
    int *first;        /* nodes + 1: arcs of node i are arcs[first[i]] to arcs[first[i + 1] - 1] */
    struct arc *arcs;
};

/* Shortest paths from one source to every node. */
struct tree {
    int source;
    int64_t *distance; /* UNREACHED where there is no path */
    int *parent;       /* the lowest-numbered node before this one on a shortest path, or NO_NODE */
};

/* What an algorithm did, summed over its runs. */
struct effort {
    long scanned;      /* nodes whose outgoing edges were looked at */
    long improved;     /* distances that went down */
    long moved;        /* steps inside the queue or the heap */
    long peak;         /* most nodes waiting at once */
};

_Noreturn void fail(const char *format, ...);
void *allocate(int count, int size);

void read_graph(struct graph *graph, const char *path);
void free_graph(struct graph *graph);

void new_tree(struct tree *tree, int nodes);
void reset_tree(struct tree *tree, int nodes, int source);
void free_tree(struct tree *tree);

void search_with_queue(const struct graph *graph, int source, struct tree *tree, struct effort *effort);
void search_with_heap(const struct graph *graph, int source, struct tree *tree, struct effort *effort);

#endif
