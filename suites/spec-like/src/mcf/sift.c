/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Column generation: optimise over a part of the arcs, then let in those of the rest that would save
 * something at the potentials found, until there is none. R. E. Bixby and others, "Very large-scale
 * linear programming: a case study in combining interior point and simplex methods", Operations
 * Research 40(5), 1992, call it sifting.
 */
#include "mcf.h"

#include <stdlib.h>

#define PURGES 6            /* rounds in which arcs may be suspended again; a bound, so that the rounds end */

static int by_tail_and_cost(const void *a, const void *b)
{
    const struct arc *first = a, *second = b;

    if (first->tail != second->tail)
        return first->tail < second->tail ? -1 : 1;
    if (first->cost != second->cost)
        return first->cost < second->cost ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

/* Exchange two arcs' places; the second is not basic. */
static void exchange_places(struct arc *first, struct arc *second)
{
    struct arc other = *first;

    if (first->state == BASIC) {
        if (first->tail->basic == first)
            first->tail->basic = second;
        else
            first->head->basic = second;
    }
    *first = *second;
    *second = other;
}

/* Before the first pivot: the `keep` cheapest arcs out of every node stay active. */
void suspend_arcs(struct network *network, int keep)
{
    const struct node *tail = NULL;
    int rank = 0;

    qsort(network->arc, (size_t)network->arcs, sizeof *network->arc, by_tail_and_cost);
    network->active = 0;
    for (int i = 0; i < network->arcs; i++) {
        struct arc *arc = &network->arc[i];

        rank = arc->tail == tail ? rank + 1 : 0;
        tail = arc->tail;
        if (rank < keep)
            exchange_places(&network->arc[network->active++], arc);
    }
}

/* Let in all waiting arcs that would save something; returns their number. */
static int activate(struct network *network, struct effort *effort)
{
    int before = network->active;

    effort->priced += network->arcs - before;
    for (int i = before; i < network->arcs; i++) {
        if (violation(&network->arc[i]) > 0)
            exchange_places(&network->arc[network->active++], &network->arc[i]);
    }
    return network->active - before;
}

/* Suspend the active arcs without flow that are far from saving anything: twice as far as on average. */
static void purge(struct network *network)
{
    double sum = 0.0, limit;
    int count = 0;

    for (int i = 0; i < network->active; i++) {
        if (network->arc[i].state == AT_LOWER) {
            sum -= (double)violation(&network->arc[i]);
            count++;
        }
    }
    if (count == 0)
        return;
    limit = 2.0 * (sum / count);
    for (int i = network->active - 1; i >= 0; i--) {
        struct arc *arc = &network->arc[i];

        if (arc->state == AT_LOWER && -(double)violation(arc) > limit)
            exchange_places(&network->arc[--network->active], arc);
    }
}

/* Optimise over all arcs, the suspended ones included. */
void sift(struct network *network, enum rule rule, struct effort *effort)
{
    int purges = 0;

    for (;;) {
        optimise(network, rule, effort);
        if (network->active == network->arcs)
            return;
        if (purges++ < PURGES)
            purge(network);
        if (activate(network, effort) == 0)
            return;
    }
}
