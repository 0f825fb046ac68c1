/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from a molecule's definition: Lennard-Jones parameters of pairs of types, and which
 * atoms are one, two or three bonds apart.
 */
#include "nab.h"

#include <math.h>
#include <stdlib.h>

#define FAR 3 /* bonds */

struct graph {
    int *first;     /* atoms + 1 */
    int *neighbour; /* neighbour[first[i]] … are bonded to atom i */
};

/* Lorentz's and Berthelot's rules, as AMBER has them. */
static void mix_types(struct molecule *molecule)
{
    int types = molecule->types;

    molecule->contact = allocate(types * types, sizeof *molecule->contact);
    for (int i = 0; i < types; i++) {
        for (int j = 0; j < types; j++) {
            double distance = molecule->kinds[i].half + molecule->kinds[j].half;
            double depth = sqrt(molecule->kinds[i].depth * molecule->kinds[j].depth);
            double cube = distance * distance * distance, sixth = cube * cube;

            molecule->contact[i * types + j].twelfth = depth * sixth * sixth;
            molecule->contact[i * types + j].sixth = 2.0 * depth * sixth;
        }
    }
}

static void make_graph(struct graph *graph, const struct molecule *molecule)
{
    int *used = allocate(molecule->atoms, sizeof *used);

    graph->first = allocate(molecule->atoms + 1, sizeof *graph->first);
    graph->neighbour = allocate(2 * molecule->bonds, sizeof *graph->neighbour);
    for (int i = 0; i < molecule->bonds; i++)
        for (int end = 0; end < 2; end++)
            graph->first[molecule->bond[i].atom[end] + 1]++;
    for (int i = 0; i < molecule->atoms; i++)
        graph->first[i + 1] += graph->first[i];
    for (int i = 0; i < molecule->bonds; i++) {
        for (int end = 0; end < 2; end++) {
            int atom = molecule->bond[i].atom[end];

            graph->neighbour[graph->first[atom] + used[atom]++] = molecule->bond[i].atom[1 - end];
        }
    }
    free(used);
}

/* Breadth first: queue gets the atoms up to three bonds from one, distance theirs; the rest stay at -1. */
static int walk(const struct graph *graph, int from, int *queue, int *distance)
{
    int count = 1;

    queue[0] = from;
    distance[from] = 0;
    for (int head = 0; head < count && distance[queue[head]] < FAR; head++) {
        for (int k = graph->first[queue[head]]; k < graph->first[queue[head] + 1]; k++) {
            int to = graph->neighbour[k];

            if (distance[to] < 0) {
                distance[to] = distance[queue[head]] + 1;
                queue[count++] = to;
            }
        }
    }
    return count;
}

static int by_number(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return (a > b) - (a < b);
}

/* Lists of the atoms near each, twice: to count, and to fill. */
static void list_near(struct molecule *molecule, const struct graph *graph)
{
    int *queue = allocate(molecule->atoms, sizeof *queue);
    int *distance = allocate(molecule->atoms, sizeof *distance);

    for (int i = 0; i < molecule->atoms; i++)
        distance[i] = -1;
    for (int fill = 0; fill < 2; fill++) {
        int near = 0, far = 0;

        for (int i = 0; i < molecule->atoms; i++) {
            int count = walk(graph, i, queue, distance);

            if (fill)
                qsort(queue + 1, (size_t)count - 1, sizeof *queue, by_number);
            molecule->first_near[i] = near;
            for (int k = 0; k < count; k++) {
                int j = queue[k];

                if (j > i && distance[j] == FAR) {
                    if (fill) {
                        molecule->far_pair[far].atom[0] = i;
                        molecule->far_pair[far].atom[1] = j;
                    }
                    far++;
                }
                if (j > i) {
                    if (fill)
                        molecule->near[near] = j;
                    near++;
                }
                distance[j] = -1;
            }
        }
        molecule->first_near[molecule->atoms] = near;
        molecule->far_pairs = far;
        if (!fill) {
            molecule->near = allocate(near, sizeof *molecule->near);
            molecule->far_pair = allocate(far, sizeof *molecule->far_pair);
        }
    }
    free(queue);
    free(distance);
}

void prepare_molecule(struct molecule *molecule)
{
    struct graph graph;

    mix_types(molecule);
    molecule->first_near = allocate(molecule->atoms + 1, sizeof *molecule->first_near);
    make_graph(&graph, molecule);
    list_near(molecule, &graph);
    free(graph.first);
    free(graph.neighbour);
}
