/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an adjacency matrix from a text file: the number of nodes, then one row of weights a node. */
#include "graph.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 4096
#define HEAVIEST 1000000

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("dijkstra: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(int count, int size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t room = 4096, length = 0, got;
    char *text;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    text = malloc(room);
    if (text == NULL)
        fail("out of memory");
    while ((got = fread(text + length, 1, room - length - 1, file)) > 0) {
        length += got;
        if (room - length < 2) {
            room *= 2;
            text = realloc(text, room);
            if (text == NULL)
                fail("out of memory");
        }
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Read a number between 0 and limit; *cursor goes past it. */
static int next_number(char **cursor, int limit, const char *path, const char *what)
{
    char *start = *cursor;
    int value = 0;

    while (isspace((unsigned char)*start))
        start++;
    if (!isdigit((unsigned char)*start))
        fail("%s: %s expected, found '%.10s'", path, what, start);
    while (isdigit((unsigned char)*start)) {
        value = value * 10 + (*start++ - '0');
        if (value > limit)
            fail("%s: %s is above %d", path, what, limit);
    }
    *cursor = start;
    return value;
}

/* The same edges as adjacency lists, so that a search need not pass over the zeros. */
static void list_arcs(struct graph *graph)
{
    int next = 0;

    graph->first = allocate(graph->nodes + 1, sizeof *graph->first);
    graph->arcs = allocate(graph->edges, sizeof *graph->arcs);
    for (int from = 0; from < graph->nodes; from++) {
        const int *row = graph->weight + from * graph->nodes;

        graph->first[from] = next;
        for (int to = 0; to < graph->nodes; to++) {
            if (row[to] != 0) {
                graph->arcs[next].to = to;
                graph->arcs[next].weight = row[to];
                next++;
            }
        }
    }
    graph->first[graph->nodes] = next;
}

void read_graph(struct graph *graph, const char *path)
{
    char *text = read_file(path), *cursor = text;
    int cells;

    graph->nodes = next_number(&cursor, MOST_NODES, path, "the number of nodes");
    if (graph->nodes == 0)
        fail("%s: the graph has no nodes", path);
    graph->edges = graph->lightest = graph->heaviest = 0;
    cells = graph->nodes * graph->nodes;
    graph->weight = allocate(cells, sizeof *graph->weight);
    for (int i = 0; i < cells; i++) {
        int weight = next_number(&cursor, HEAVIEST, path, "a weight");

        if (i / graph->nodes == i % graph->nodes)
            continue; /* a node's edge to itself is on no shortest path */
        graph->weight[i] = weight;
        if (weight != 0) {
            graph->edges++;
            if (graph->lightest == 0 || weight < graph->lightest)
                graph->lightest = weight;
            if (weight > graph->heaviest)
                graph->heaviest = weight;
        }
    }
    while (isspace((unsigned char)*cursor))
        cursor++;
    if (*cursor != '\0')
        fail("%s: there is more after %d rows: '%.10s'", path, graph->nodes, cursor);
    free(text);
    list_arcs(graph);
}

void free_graph(struct graph *graph)
{
    free(graph->weight);
    free(graph->first);
    free(graph->arcs);
}

void new_tree(struct tree *tree, int nodes)
{
    tree->source = NO_NODE;
    tree->distance = allocate(nodes, sizeof *tree->distance);
    tree->parent = allocate(nodes, sizeof *tree->parent);
}

void reset_tree(struct tree *tree, int nodes, int source)
{
    tree->source = source;
    for (int i = 0; i < nodes; i++) {
        tree->distance[i] = UNREACHED;
        tree->parent[i] = NO_NODE;
    }
    tree->distance[source] = 0;
}

void free_tree(struct tree *tree)
{
    free(tree->distance);
    free(tree->parent);
}
