/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks an answer against the file's instance, without regard to how it was found: bounds and
 * balances; reduced costs of the right sign, which proves optimality; and that the dual problem's
 * value is the cost.
 */
#include "mcf.h"

#include <stdlib.h>

/* What is wrong with a solution that is said to be feasible; NULL when nothing is. */
const char *solution_fault(const struct instance *instance, const struct solution *solution)
{
    int64_t *balance = allocate(instance->nodes + 1, sizeof *balance);
    uint64_t dual = 0;          /* modulo 2^64: single terms may be large where nodes are not connected */
    int64_t cost = 0;
    const char *fault = NULL;

    for (int i = 1; i <= instance->nodes; i++) {
        balance[i] = instance->supply[i];
        dual -= (uint64_t)solution->price[i] * (uint64_t)instance->supply[i];
    }
    for (int i = 0; i < instance->arcs; i++) {
        const struct line *line = &instance->line[i];
        int64_t flow = solution->flow[i];
        int64_t reduced = line->cost + solution->price[line->tail] - solution->price[line->head];

        if (flow < line->low || flow > line->capacity)
            fault = "an arc's flow is out of its bounds";
        if ((reduced > 0 && flow != line->low) || (reduced < 0 && flow != line->capacity))
            fault = "an arc's flow and its reduced cost do not fit together";
        balance[line->tail] -= flow;
        balance[line->head] += flow;
        cost += line->cost * flow;
        dual += (uint64_t)reduced * (uint64_t)(reduced > 0 ? line->low : line->capacity);
    }
    for (int i = 1; i <= instance->nodes; i++) {
        if (balance[i] != 0)
            fault = "a node is not balanced";
    }
    if (cost != solution->cost)
        fault = "the cost is not that of the flow";
    if (dual != (uint64_t)cost)
        fault = "the dual problem has another value";
    free(balance);
    return fault;
}
