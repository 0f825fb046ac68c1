/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dijkstra: shortest paths in a directed graph, each found twice, with a queue and with a heap.
 * Both searches prefer the lowest-numbered parent among equals, so their trees are equal node by
 * node; the program says so or exits with status 1.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { PAIRS, ALL, TREE };

struct options {
    enum mode mode;
    int pairs;
    int step;
    int source;
    const char *path;
};

static uint64_t checksum = 0xcbf29ce484222325;

/* Fowler, Noll and Vo's hash, a byte at a time, least significant first. */
static void mix(uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        checksum = (checksum ^ (value & 0xff)) * 0x100000001b3;
        value >>= 8;
    }
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: dijkstra [-n PAIRS] [-s STEP] FILE   paths of PAIRS pairs, sources STEP apart\n"
         "       dijkstra -t SOURCE FILE              the tree of paths from node SOURCE\n"
         "       dijkstra -a FILE                     eccentricity of each node, radius, diameter",
         complaint);
}

static int number_after(int argc, char **argv, int *index)
{
    char *end;
    long value;

    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    value = strtol(argv[++*index], &end, 10);
    if (*end != '\0' || end == argv[*index] || value < 0 || value > 1000000)
        usage("an option's number is not between 0 and 1000000");
    return (int)value;
}

static void read_options(struct options *options, int argc, char **argv)
{
    options->mode = PAIRS;
    options->pairs = 20;
    options->step = 1;
    options->source = 0;
    options->path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0) {
            options->pairs = number_after(argc, argv, &i);
        } else if (strcmp(argv[i], "-s") == 0) {
            options->step = number_after(argc, argv, &i);
        } else if (strcmp(argv[i], "-t") == 0) {
            options->mode = TREE;
            options->source = number_after(argc, argv, &i);
        } else if (strcmp(argv[i], "-a") == 0) {
            options->mode = ALL;
        } else if (argv[i][0] == '-') {
            usage("unknown option");
        } else if (options->path == NULL) {
            options->path = argv[i];
        } else {
            usage("more than one file");
        }
    }
    if (options->path == NULL)
        usage("no file");
}

/* A tree is one of shortest paths when its edges are tight and no other edge is shorter. */
static int is_shortest(const struct graph *graph, const struct tree *tree)
{
    for (int from = 0; from < graph->nodes; from++) {
        if (tree->distance[from] == UNREACHED)
            continue;
        for (int i = graph->first[from]; i < graph->first[from + 1]; i++) {
            const struct arc *arc = &graph->arcs[i];

            if (tree->distance[from] + arc->weight < tree->distance[arc->to])
                return 0;
        }
        if (from != tree->source) {
            int parent = tree->parent[from];

            if (parent == NO_NODE || graph->weight[parent * graph->nodes + from] == 0)
                return 0;
            if (tree->distance[parent] + graph->weight[parent * graph->nodes + from] != tree->distance[from])
                return 0;
        }
    }
    return tree->distance[tree->source] == 0 && tree->parent[tree->source] == NO_NODE;
}

struct search {
    struct tree by_queue, by_heap;
    struct effort queue, heap;
};

/* Search from source both ways; the result is in by_heap. */
static void search(struct search *search, const struct graph *graph, int source)
{
    search_with_queue(graph, source, &search->by_queue, &search->queue);
    search_with_heap(graph, source, &search->by_heap, &search->heap);
    for (int i = 0; i < graph->nodes; i++) {
        if (search->by_queue.distance[i] != search->by_heap.distance[i] ||
            search->by_queue.parent[i] != search->by_heap.parent[i]) {
            printf("node %d: the searches from %d disagree\n", i, source);
            exit(1);
        }
        mix((uint64_t)search->by_heap.distance[i]);
        mix((uint64_t)search->by_heap.parent[i]);
    }
    if (!is_shortest(graph, &search->by_heap)) {
        printf("the paths from %d are not the shortest\n", source);
        exit(1);
    }
}

/* The tree points from a node to the source: recurse to print the path in walking order. */
static void print_path(const struct tree *tree, int node)
{
    if (tree->parent[node] != NO_NODE)
        print_path(tree, tree->parent[node]);
    printf(" %d", node);
}

static void print_route(const struct tree *tree, int target)
{
    printf("%d -> %d: ", tree->source, target);
    if (tree->distance[target] == UNREACHED) {
        puts("unreachable");
        return;
    }
    printf("%" PRId64 " via", tree->distance[target]);
    print_path(tree, target);
    putchar('\n');
}

static void show_pairs(struct search *state, const struct graph *graph, const struct options *options)
{
    int64_t total = 0;
    int reached = 0;

    for (int i = 0; i < options->pairs; i++) {
        int source = (int)((int64_t)i * options->step % graph->nodes);
        int target = (source + graph->nodes / 2 + i) % graph->nodes;

        if (source != state->by_heap.source)
            search(state, graph, source);
        print_route(&state->by_heap, target);
        if (state->by_heap.distance[target] != UNREACHED) {
            reached++;
            total += state->by_heap.distance[target];
        }
    }
    printf("pairs: %d of %d reached, total distance %" PRId64 "\n", reached, options->pairs, total);
}

static void show_tree(struct search *state, const struct graph *graph, const struct options *options)
{
    int *children = allocate(graph->nodes, sizeof *children);
    int leaves = 0;

    if (options->source >= graph->nodes)
        fail("there is no node %d, the last is %d", options->source, graph->nodes - 1);
    search(state, graph, options->source);
    for (int i = 0; i < graph->nodes; i++) {
        print_route(&state->by_heap, i);
        if (state->by_heap.parent[i] != NO_NODE)
            children[state->by_heap.parent[i]]++;
    }
    for (int i = 0; i < graph->nodes; i++)
        leaves += children[i] == 0;
    printf("tree: %d leaves\n", leaves);
    free(children);
}

static void show_all(struct search *state, const struct graph *graph)
{
    int64_t radius = UNREACHED, diameter = 0, sum = 0;
    long paths = 0;

    for (int source = 0; source < graph->nodes; source++) {
        int64_t farthest = 0;
        int target = source;

        search(state, graph, source);
        for (int i = 0; i < graph->nodes; i++) {
            int64_t distance = state->by_heap.distance[i];

            if (distance == UNREACHED || i == source)
                continue;
            paths++;
            sum += distance;
            if (distance > farthest) {
                farthest = distance;
                target = i;
            }
        }
        printf("%d: farthest %d at %" PRId64 "\n", source, target, farthest);
        if (farthest < radius)
            radius = farthest;
        if (farthest > diameter)
            diameter = farthest;
    }
    printf("paths: %ld, sum %" PRId64 ", radius %" PRId64 ", diameter %" PRId64 "\n", paths, sum, radius,
           diameter);
}

static void print_effort(const char *name, const struct effort *effort)
{
    printf("%s: %ld scanned, %ld improved, %ld moved, at most %ld waiting\n", name, effort->scanned,
           effort->improved, effort->moved, effort->peak);
}

int main(int argc, char **argv)
{
    struct options options;
    struct graph graph;
    struct search state = {0};

    read_options(&options, argc, argv);
    read_graph(&graph, options.path);
    printf("graph: %d nodes, %d edges, weights %d to %d\n", graph.nodes, graph.edges, graph.lightest,
           graph.heaviest);
    new_tree(&state.by_queue, graph.nodes);
    new_tree(&state.by_heap, graph.nodes);
    if (options.mode == PAIRS)
        show_pairs(&state, &graph, &options);
    else if (options.mode == TREE)
        show_tree(&state, &graph, &options);
    else
        show_all(&state, &graph);
    print_effort("queue", &state.queue);
    print_effort("heap", &state.heap);
    printf("checksum %016" PRIx64 "\n", checksum);
    free_tree(&state.by_queue);
    free_tree(&state.by_heap);
    free_graph(&graph);
    return 0;
}
