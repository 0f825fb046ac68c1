/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The primal network simplex method with upper bounds. The leaving arc is chosen so that the basis
 * stays strongly feasible, which rules out cycling: W. H. Cunningham, "A network simplex method",
 * Mathematical Programming 11, 1976; R. K. Ahuja, T. L. Magnanti and J. B. Orlin, "Network Flows",
 * 1993, chapter 11.
 */
#include "mcf.h"

#include <stddef.h>

/* What a pivot does: flow goes round the cycle from `from` through the entering arc to `to`, up to the
   apex and down to `from`. */
struct pivot {
    struct arc *entering;
    struct node *from, *to, *apex;
    struct node *cut;           /* below the leaving arc; NULL when the entering arc is the first to block */
    int cut_behind;             /* is cut above `from`, not above `to`? */
    int64_t change;
};

/* How much more flow fits on the arc above the node, upwards or downwards. */
static int64_t room_up(const struct node *node)
{
    const struct arc *arc = node->basic;

    return arc->tail == node ? arc->capacity - arc->flow : arc->flow;
}

static int64_t room_down(const struct node *node)
{
    const struct arc *arc = node->basic;

    return arc->tail == node ? arc->flow : arc->capacity - arc->flow;
}

static void push_up(struct node *node, int64_t change)
{
    struct arc *arc = node->basic;

    arc->flow += arc->tail == node ? change : -change;
}

/* Climb from both ends to the apex. Of the arcs that block first, the last one in the direction of the
   flow leaves, counted from the apex. */
static void find_leaving(struct pivot *pivot, struct effort *effort)
{
    struct node *behind = pivot->from, *ahead = pivot->to;

    pivot->cut = NULL;
    pivot->cut_behind = 0;
    pivot->change = pivot->entering->capacity;
    while (behind != ahead) {
        effort->climbed++;
        if (behind->depth > ahead->depth) {
            int64_t room = room_down(behind);

            if (room < pivot->change) {
                pivot->change = room;
                pivot->cut = behind;
                pivot->cut_behind = 1;
            }
            behind = behind->parent;
        } else {
            int64_t room = room_up(ahead);

            if (room <= pivot->change) {
                pivot->change = room;
                pivot->cut = ahead;
                pivot->cut_behind = 0;
            }
            ahead = ahead->parent;
        }
    }
    pivot->apex = ahead;
}

static void change_flow(const struct pivot *pivot)
{
    pivot->entering->flow += pivot->entering->state * pivot->change;
    for (struct node *node = pivot->from; node != pivot->apex; node = node->parent)
        push_up(node, -pivot->change);
    for (struct node *node = pivot->to; node != pivot->apex; node = node->parent)
        push_up(node, pivot->change);
}

static void exchange(const struct pivot *pivot, struct effort *effort)
{
    struct arc *entering = pivot->entering, *leaving = pivot->cut->basic;
    struct node *inside = pivot->cut_behind ? pivot->from : pivot->to;
    struct node *outside = pivot->cut_behind ? pivot->to : pivot->from;
    int64_t reduced = entering->cost - entering->tail->potential + entering->head->potential;

    leaving->state = leaving->flow == 0 ? AT_LOWER : AT_UPPER;
    entering->state = BASIC;
    effort->moved += move_subtree(pivot->cut, inside, outside, entering,
                                  inside == entering->tail ? reduced : -reduced);
}

/* Pivot until no active arc would save anything. */
void optimise(struct network *network, enum rule rule, struct effort *effort)
{
    struct pricing pricing;
    struct pivot pivot;

    start_pricing(&pricing, network, rule);
    while ((pivot.entering = entering_arc(&pricing, network, effort)) != NULL) {
        int forward = pivot.entering->state == AT_LOWER;

        pivot.from = forward ? pivot.entering->tail : pivot.entering->head;
        pivot.to = forward ? pivot.entering->head : pivot.entering->tail;
        find_leaving(&pivot, effort);
        effort->pivots++;
        effort->degenerate += pivot.change == 0;
        if (pivot.change != 0)
            change_flow(&pivot);
        if (pivot.cut == NULL) {
            pivot.entering->state = -pivot.entering->state;
            effort->flips++;
        } else {
            exchange(&pivot, effort);
        }
    }
    effort->rounds++;
    end_pricing(&pricing);
}
