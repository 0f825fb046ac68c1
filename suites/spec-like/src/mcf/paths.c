/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a flow apart into paths from supply to demand, and cycles: in a timetable's network the paths
 * are the vehicles' duties. L. R. Ford and D. R. Fulkerson, "Flows in Networks", 1962.
 */
#include "mcf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_ON_PATH (-1)
#define NO_ARC (-1)

struct walk {
    const struct line *line;
    int64_t *left;              /* flow that is not yet taken out, by arc */
    int64_t *balance;           /* supply that is not yet taken out, by node */
    int *first, *out;           /* arcs that leave node i: out[first[i]] to out[first[i + 1] - 1] */
    int *next;                  /* the first of them that may have flow left */
    int *place;                 /* of a node on the path */
    int *path;                  /* arcs */
    int length;
    int in_full;                /* print each path? */
    uint64_t *checksum;
    /* the results */
    int64_t paths, cycles, cost, dearest;
    int longest;
};

static void start_walk(struct walk *walk, const struct instance *instance, const struct solution *solution)
{
    walk->line = instance->line;
    walk->left = allocate(instance->arcs, sizeof *walk->left);
    walk->balance = allocate(instance->nodes + 1, sizeof *walk->balance);
    walk->first = allocate(instance->nodes + 2, sizeof *walk->first);
    walk->out = allocate(instance->arcs, sizeof *walk->out);
    walk->next = allocate(instance->nodes + 1, sizeof *walk->next);
    walk->place = allocate(instance->nodes + 1, sizeof *walk->place);
    walk->path = allocate(instance->nodes + 1, sizeof *walk->path);
    for (int i = 0; i < instance->arcs; i++) {
        walk->left[i] = solution->flow[i];
        walk->first[instance->line[i].tail + 1]++;
    }
    for (int i = 0; i <= instance->nodes; i++) {
        walk->first[i + 1] += walk->first[i];
        walk->next[i] = walk->first[i];
        walk->place[i] = NOT_ON_PATH;
        walk->balance[i] = instance->supply[i];
    }
    for (int i = 0; i < instance->arcs; i++)
        walk->out[walk->next[instance->line[i].tail]++] = i;
    for (int i = 0; i <= instance->nodes; i++)
        walk->next[i] = walk->first[i];
}

static void end_walk(struct walk *walk)
{
    free(walk->left);
    free(walk->balance);
    free(walk->first);
    free(walk->out);
    free(walk->next);
    free(walk->place);
    free(walk->path);
}

/* An arc with flow left that leaves the node, or NO_ARC. */
static int onward(struct walk *walk, int node)
{
    int *next = &walk->next[node];

    while (*next < walk->first[node + 1] && walk->left[walk->out[*next]] == 0)
        (*next)++;
    return *next < walk->first[node + 1] ? walk->out[*next] : NO_ARC;
}

/* Take the path, from the given place on, out of the flow: `amount`, or less if it carries less. */
static void take(struct walk *walk, int place, int64_t amount)
{
    int length = walk->length - place;
    int start = walk->line[walk->path[place]].tail, end = walk->line[walk->path[walk->length - 1]].head;
    int64_t cost = 0;

    for (int i = place; i < walk->length; i++) {
        if (walk->left[walk->path[i]] < amount)
            amount = walk->left[walk->path[i]];
        cost += walk->line[walk->path[i]].cost;
    }
    mix(walk->checksum, amount);
    if (walk->in_full)
        printf("%s %" PRId64 " cost %" PRId64 ": %d", start == end ? "cycle" : "path", amount, cost, start);
    for (int i = place; i < walk->length; i++) {
        int head = walk->line[walk->path[i]].head;

        walk->left[walk->path[i]] -= amount;
        walk->place[head] = NOT_ON_PATH;
        mix(walk->checksum, head);
        if (walk->in_full)
            printf(" %d", head);
    }
    if (walk->in_full)
        putchar('\n');
    walk->cost += amount * cost;
    walk->length = place;
    walk->place[start] = place;
    if (start == end) {
        walk->cycles++;
        return;
    }
    walk->paths++;
    walk->balance[start] -= amount;
    walk->balance[end] += amount;
    if (length > walk->longest)
        walk->longest = length;
    if (walk->paths == 1 || cost > walk->dearest)
        walk->dearest = cost;
}

/*
 * Walk along the flow until a node is met for the second time, or one that wants some of it. What was
 * found is taken out, and the walk goes on until the start's supply is gone; one that circulates
 * begins with no supply anywhere and goes on until nothing leaves the start.
 */
static void walk_from(struct walk *walk, int start, int circulating)
{
    int node = start, arc;

    walk->length = walk->place[start] = 0;
    while ((circulating || walk->balance[start] > 0) && (arc = onward(walk, node)) != NO_ARC) {
        walk->path[walk->length++] = arc;
        node = walk->line[arc].head;
        if (walk->place[node] != NOT_ON_PATH) {
            take(walk, walk->place[node], INT64_MAX);
        } else if (walk->balance[node] < 0) {
            int64_t wanted = -walk->balance[node];

            take(walk, 0, wanted < walk->balance[start] ? wanted : walk->balance[start]);
            node = start;
        } else {
            walk->place[node] = walk->length;
        }
    }
    walk->place[start] = NOT_ON_PATH;
}

/* Ends the program when the parts do not add up to the whole, which was feasible. */
void show_paths(const struct instance *instance, const struct solution *solution, int in_full, uint64_t *checksum)
{
    struct walk walk = {.in_full = in_full, .checksum = checksum};
    int64_t rest = 0;

    start_walk(&walk, instance, solution);
    for (int i = 1; i <= instance->nodes; i++)
        walk_from(&walk, i, 0);
    for (int i = 1; i <= instance->nodes; i++)
        walk_from(&walk, i, 1);
    for (int i = 0; i < instance->arcs; i++)
        rest += walk.left[i];
    if (rest != 0 || walk.cost != solution->cost) {
        printf("the flow does not fall into paths and cycles\n");
        exit(1);
    }
    printf("paths: %" PRId64 ", longest of %d arcs, dearest %" PRId64 "; cycles: %" PRId64 "\n", walk.paths,
           walk.longest, walk.dearest, walk.cycles);
    end_walk(&walk);
}
