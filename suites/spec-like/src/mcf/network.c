/* SPDX-License-Identifier: Apache-2.0 */
/* Between the instance of the file and the network that the simplex method works on. */
#include "mcf.h"

#include <stdlib.h>

/* Lower bounds become supplies, so that every arc begins at flow 0. */
void build_network(struct network *network, const struct instance *instance)
{
    network->nodes = instance->nodes;
    network->arcs = network->active = instance->arcs;
    network->node = allocate(instance->nodes + 1, sizeof *network->node);
    network->arc = allocate(instance->arcs, sizeof *network->arc);
    network->artificial = allocate(instance->nodes + 1, sizeof *network->artificial);
    for (int i = 0; i <= instance->nodes; i++) {
        network->node[i].number = i;
        network->node[i].supply = i == 0 ? 0 : instance->supply[i];
    }
    for (int i = 0; i < instance->arcs; i++) {
        const struct line *line = &instance->line[i];
        struct arc *arc = &network->arc[i];

        arc->tail = &network->node[line->tail];
        arc->head = &network->node[line->head];
        arc->cost = line->cost;
        arc->capacity = line->capacity - line->low;
        arc->state = AT_LOWER;
        arc->number = i;
        arc->tail->supply -= line->low;
        arc->head->supply += line->low;
    }
    plant_tree(network);
}

void free_network(struct network *network)
{
    free(network->node);
    free(network->arc);
    free(network->artificial);
}

void extract_solution(struct solution *solution, const struct network *network, const struct instance *instance)
{
    solution->flow = allocate(instance->arcs, sizeof *solution->flow);
    solution->price = allocate(instance->nodes + 1, sizeof *solution->price);
    solution->cost = solution->missing = 0;
    for (int i = 0; i < network->arcs; i++) {
        const struct arc *arc = &network->arc[i];

        solution->flow[arc->number] = instance->line[arc->number].low + arc->flow;
        solution->cost += arc->cost * solution->flow[arc->number];
    }
    for (int i = 1; i <= network->nodes; i++) {
        solution->price[i] = -network->node[i].potential;
        if (network->artificial[i].tail == &network->node[i])
            solution->missing += network->artificial[i].flow;
    }
}

void free_solution(struct solution *solution)
{
    free(solution->flow);
    free(solution->price);
}
