/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The basis as a rooted spanning tree with parents, depths and a thread in preorder.
 * G. H. Bradley, G. G. Brown and G. W. Graves, "Design and implementation of large scale primal
 * transshipment algorithms", Management Science 24(1), 1977; R. S. Barr, F. Glover and D. Klingman,
 * "Enhancements of spanning tree labelling procedures for network optimization", INFOR 17, 1979.
 */
#include "mcf.h"

#include <stddef.h>

#define BOUNDLESS (INT64_MAX / 4)

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* More than any path of real arcs can cost. */
static int64_t prohibitive(const struct network *network)
{
    int64_t dearest = 0;

    for (int i = 0; i < network->arcs; i++) {
        if (magnitude(network->arc[i].cost) > dearest)
            dearest = magnitude(network->arc[i].cost);
    }
    return dearest * network->nodes + 1;
}

/* The first basis: each node hangs on the root by an artificial arc that carries its supply. Arcs
   without flow point to the root, which makes the basis strongly feasible. */
void plant_tree(struct network *network)
{
    int64_t price = prohibitive(network);
    struct node *root = &network->node[0], *last = root;

    for (int i = 1; i <= network->nodes; i++) {
        struct node *node = &network->node[i];
        struct arc *arc = &network->artificial[i];
        int upward = node->supply >= 0;

        arc->tail = upward ? node : root;
        arc->head = upward ? root : node;
        arc->cost = price;
        arc->capacity = BOUNDLESS;
        arc->flow = magnitude(node->supply);
        arc->state = BASIC;
        arc->number = -1;
        node->potential = upward ? price : -price;
        node->parent = root;
        node->basic = arc;
        node->depth = 1;
        node->previous = last;
        last->thread = node;
        last = node;
    }
    last->thread = root;
    root->previous = last;
}

/*
 * Cut the tree above the node `cut` and hang the lower part by its node `inside`, which becomes that
 * part's top, on `outside` with the arc `entering`. Potentials in the part change by `shift`. On the
 * stem, the path from inside to cut, parents and children change places; the part's new preorder is
 * the subtree of the stem's first node, then what is left of its second's, and so on. Returns the
 * number of nodes in the part.
 */
long move_subtree(struct node *cut, struct node *inside, struct node *outside, struct arc *entering, int64_t shift)
{
    struct node *before = cut->previous, *stem = inside, *above = outside, *last = outside;
    struct node *placed = NULL, *after = NULL;
    struct arc *joint = entering;
    long moved = 0;

    for (;;) {
        struct node *parent = stem->parent, *node = stem, *next;
        struct arc *basic = stem->basic;
        int depth = stem->depth, sink = above->depth + 1 - depth;

        for (;;) {
            node->potential += shift;
            node->depth += sink;
            moved++;
            next = node->thread;
            if (next == placed && placed != NULL) {
                next = after;
                if (next->depth > depth) {
                    node->thread = next;
                    next->previous = node;
                }
            }
            if (next->depth <= depth)
                break;
            node = next;
        }
        after = next;
        if (stem != inside) {
            last->thread = stem;
            stem->previous = last;
        }
        last = node;
        stem->parent = above;
        stem->basic = joint;
        if (stem == cut)
            break;
        joint = basic;
        above = placed = stem;
        stem = parent;
    }
    before->thread = after;
    after->previous = before;
    last->thread = outside->thread;
    last->thread->previous = last;
    outside->thread = inside;
    inside->previous = outside;
    return moved;
}

/* What is wrong with the tree, NULL when nothing is: that it is a strongly feasible basis. */
const char *tree_fault(const struct network *network)
{
    const struct node *root = &network->node[0], *before = root;
    int visited = 1;

    for (const struct node *node = root->thread; node != root; node = node->thread) {
        const struct arc *arc = node->basic;

        if (++visited > network->nodes + 1)
            return "the thread visits a node twice";
        if (node->previous != before)
            return "the thread is not the same in both directions";
        if (node->depth != node->parent->depth + 1 || node->depth > before->depth + 1)
            return "a depth is wrong";
        if (!(arc->tail == node && arc->head == node->parent) && !(arc->head == node && arc->tail == node->parent))
            return "a basic arc does not join a node and its parent";
        if (arc->state != BASIC || arc->cost != arc->tail->potential - arc->head->potential)
            return "a basic arc has a reduced cost";
        if (arc->flow < 0 || arc->flow > arc->capacity)
            return "a basic arc's flow is out of its bounds";
        if (arc->tail == node ? arc->flow == arc->capacity : arc->flow == 0)
            return "the basis is not strongly feasible";
        before = node;
    }
    return visited == network->nodes + 1 ? NULL : "the thread leaves nodes out";
}
