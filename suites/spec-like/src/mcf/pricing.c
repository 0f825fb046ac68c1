/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which arc enters the basis. BASKET is multiple partial pricing: a few groups of arcs are looked
 * through at a time, candidates are collected in a basket, sorted, and the better ones kept for the
 * next pivots (A. Löbel, "Solving large-scale real-world minimum-cost flow problems by a network
 * simplex method", Konrad-Zuse-Zentrum SC 96-7, 1996). BLOCK takes the best arc of the next block
 * (M. D. Grigoriadis, "An efficient implementation of the network simplex method", Mathematical
 * Programming Study 26, 1986), BEST the best of all (G. B. Dantzig, 1951).
 */
#include "mcf.h"

#include <stddef.h>
#include <stdlib.h>

#define GROUP 250           /* arcs in a group, about */
#define ENOUGH 40           /* candidates after which no further group is looked through */
#define KEPT 25             /* candidates kept for the next pivot */
#define FEW 9               /* a part so short is sorted by insertion */

/* How much a unit of change would save; positive for arcs that should enter. */
int64_t violation(const struct arc *arc)
{
    return arc->state * (arc->tail->potential - arc->head->potential - arc->cost);
}

void start_pricing(struct pricing *pricing, const struct network *network, enum rule rule)
{
    pricing->rule = rule;
    pricing->position = 0;
    pricing->count = 0;
    pricing->groups = (network->active + GROUP - 1) / GROUP;
    pricing->basket = allocate(KEPT + ENOUGH + GROUP + 1, sizeof *pricing->basket);
}

void end_pricing(struct pricing *pricing)
{
    free(pricing->basket);
    pricing->basket = NULL;
}

/* Larger violations first, then smaller numbers. */
static int goes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->violation != b->violation)
        return a->violation > b->violation;
    return a->arc->number < b->arc->number;
}

static void insertion_sort(struct candidate *list, int count)
{
    for (int i = 1; i < count; i++) {
        struct candidate moving = list[i];
        int place = i;

        while (place > 0 && goes_before(&moving, &list[place - 1])) {
            list[place] = list[place - 1];
            place--;
        }
        list[place] = moving;
    }
}

/* Quicksort; only the part that can hold the first `wanted` places is put into order. */
static void sort_best(struct candidate *list, int count, int wanted)
{
    while (count > FEW) {
        struct candidate pivot = list[count / 2];
        int left = 0, right = count - 1;

        while (left <= right) {
            while (goes_before(&list[left], &pivot))
                left++;
            while (goes_before(&pivot, &list[right]))
                right--;
            if (left <= right) {
                struct candidate other = list[left];

                list[left++] = list[right];
                list[right--] = other;
            }
        }
        if (left < wanted)
            sort_best(list + left, count - left, wanted - left);
        count = right + 1;
    }
    insertion_sort(list, count);
}

/* Candidates that are still good stay, with their violation of now. */
static void refresh(struct pricing *pricing, struct effort *effort)
{
    int kept = 0, known = pricing->count < KEPT ? pricing->count : KEPT;

    effort->priced += known;
    for (int i = 0; i < known; i++) {
        struct arc *arc = pricing->basket[i].arc;
        int64_t saving = violation(arc);

        if (saving > 0)
            pricing->basket[kept++] = (struct candidate){arc, saving};
    }
    pricing->count = kept;
}

static int holds(const struct candidate *list, int count, const struct arc *arc)
{
    for (int i = 0; i < count; i++) {
        if (list[i].arc == arc)
            return 1;
    }
    return 0;
}

/* A group is every groups-th arc, so that arcs which are near each other in the file are in different groups. */
static void look_through_group(struct pricing *pricing, const struct network *network, int kept, struct effort *effort)
{
    struct arc *end = network->arc + network->active;

    for (struct arc *arc = network->arc + pricing->position; arc < end; arc += pricing->groups) {
        int64_t saving = violation(arc);

        effort->priced++;
        if (saving > 0 && !holds(pricing->basket, kept, arc))
            pricing->basket[pricing->count++] = (struct candidate){arc, saving};
        if (end - arc <= pricing->groups)
            break;
    }
    pricing->position = (pricing->position + 1) % pricing->groups;
}

static struct arc *best_of_basket(struct pricing *pricing, const struct network *network, struct effort *effort)
{
    int kept;

    refresh(pricing, effort);
    kept = pricing->count;
    for (int i = 0; i < pricing->groups && pricing->count < ENOUGH; i++)
        look_through_group(pricing, network, kept, effort);
    sort_best(pricing->basket, pricing->count, KEPT);
    return pricing->count > 0 ? pricing->basket[0].arc : NULL;
}

/* The best arc of the first block, from the current position on, that has any. */
static struct arc *best_of_block(struct pricing *pricing, const struct network *network, int block,
                                 struct effort *effort)
{
    struct arc *best = NULL;
    int64_t most = 0;
    int left = block;

    for (int i = 0; i < network->active; i++) {
        struct arc *arc = &network->arc[pricing->position];
        int64_t saving = violation(arc);

        effort->priced++;
        if (saving > most) {
            most = saving;
            best = arc;
        }
        if (++pricing->position == network->active)
            pricing->position = 0;
        if (--left == 0) {
            if (best != NULL)
                break;
            left = block;
        }
    }
    return best;
}

/* NULL when the basis is optimal. */
struct arc *entering_arc(struct pricing *pricing, const struct network *network, struct effort *effort)
{
    int block = 20;

    if (pricing->rule == BASKET)
        return best_of_basket(pricing, network, effort);
    if (pricing->rule == BEST)
        return best_of_block(pricing, network, network->active, effort);
    while (block * block < network->active)
        block++;
    return best_of_block(pricing, network, block, effort);
}
