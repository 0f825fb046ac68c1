/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PATRICIA tree: D. R. Morrison, "PATRICIA - Practical Algorithm To Retrieve Information Coded
 * in Alphanumeric", Journal of the ACM 15(4), 1968.
 *
 * A node tests one bit and holds one key. Tested bits grow on the way down; a link to a node that
 * tests no later bit is an upward link, and the key of the node it leads to is the only one that
 * the path's tested bits leave possible. A tree of n keys has n nodes: the head tests nothing.
 *
 * No key may begin another, which prefixes do. So a prefix is coded as its bits with a 1 before
 * each and a 0 after the last: 10/2 is 11 10 0. Prefixes of up to 32 bits take 64; the final 0 of
 * a full-length one is not needed. Then a node that tests an even position asks "does the prefix
 * go on?", and its 0 link leads to the prefix that ends there: the look-up of an address collects
 * these on its way down and takes the last that fits.
 */
#include "tree.h"

#include <stdlib.h>

#define KEY_BITS 64
#define ADDRESS_BITS 32

struct node {
    uint64_t key;
    int bit;               /* the position tested, 0 is the most significant; -1 in the head */
    struct node *link[2];  /* the head uses the first alone */
    struct route route;
};

uint32_t prefix_mask(int length)
{
    return length == 0 ? 0 : UINT32_MAX << (ADDRESS_BITS - length);
}

static uint64_t key_of(struct prefix prefix)
{
    uint64_t key = 0;

    for (int i = 0; i < prefix.length; i++) {
        uint64_t bit = prefix.address >> (ADDRESS_BITS - 1 - i) & 1;

        key |= (2 | bit) << (KEY_BITS - 2 - 2 * i);
    }
    return key;
}

static int bit_of(uint64_t key, int bit)
{
    return bit < 0 ? 0 : (int)(key >> (KEY_BITS - 1 - bit) & 1);
}

static int first_difference(uint64_t a, uint64_t b)
{
    int bit = 0;

    while (bit_of(a ^ b, bit) == 0)
        bit++;
    return bit;
}

/* Follow the key's bits from the head to the node that an upward link leads to. */
static struct node *descend(struct tree *tree, uint64_t key)
{
    struct node *from = tree->head, *to = from->link[0];

    while (to->bit > from->bit) {
        from = to;
        to = from->link[bit_of(key, from->bit)];
        tree->tested++;
    }
    tree->compared++;
    return to;
}

int tree_insert(struct tree *tree, struct prefix prefix, int value)
{
    uint64_t key = key_of(prefix);
    struct node *node, *found = NULL;

    if (tree->head != NULL) {
        found = descend(tree, key);
        if (found->key == key) {
            found->route.value = value;
            return 0;
        }
    }
    node = calloc(1, sizeof *node);
    if (node == NULL)
        return -1;
    node->key = key;
    node->route.prefix = prefix;
    node->route.value = value;
    tree->count++;
    if (found == NULL) {
        node->bit = -1;
        node->link[0] = node;
        tree->head = node;
    } else {
        struct node *from = tree->head;
        struct node **link = &from->link[0];
        int side;

        /* The new node goes where the path first tests a later bit than the first that differs. */
        node->bit = first_difference(key, found->key);
        while ((*link)->bit > from->bit && (*link)->bit < node->bit) {
            from = *link;
            link = &from->link[bit_of(key, from->bit)];
            tree->tested++;
        }
        side = bit_of(key, node->bit);
        node->link[side] = node;
        node->link[!side] = *link;
        *link = node;
    }
    return 1;
}

struct route *tree_find(struct tree *tree, struct prefix prefix)
{
    uint64_t key = key_of(prefix);
    struct node *node;

    if (tree->head == NULL)
        return NULL;
    node = descend(tree, key);
    return node->key == key ? &node->route : NULL;
}

struct route *tree_match(struct tree *tree, uint32_t address)
{
    struct prefix whole = {address, ADDRESS_BITS};
    struct node *candidate[ADDRESS_BITS + 1];
    struct node *from, *to;
    uint64_t key = key_of(whole);
    int count = 0;

    if (tree->head == NULL)
        return NULL;
    from = tree->head;
    to = from->link[0];
    while (to->bit > from->bit) {
        from = to;
        if (from->bit % 2 == 0)
            candidate[count++] = from->link[0];
        to = from->link[bit_of(key, from->bit)];
        tree->tested++;
    }
    candidate[count] = to;
    /* Skipped bits have not been tested: a candidate must be compared. Later ones are longer. */
    for (; count >= 0; count--) {
        struct route *route = &candidate[count]->route;

        tree->compared++;
        if (((address ^ route->prefix.address) & prefix_mask(route->prefix.length)) == 0)
            return route;
    }
    return NULL;
}

int tree_delete(struct tree *tree, struct prefix prefix)
{
    uint64_t key = key_of(prefix);
    struct node *above, *from, *to, *heir;
    struct node **link;

    if (tree->head == NULL)
        return 0;
    above = from = tree->head;
    to = from->link[0];
    while (to->bit > from->bit) {
        above = from;
        from = to;
        to = from->link[bit_of(key, from->bit)];
        tree->tested++;
    }
    tree->compared++;
    if (to->key != key)
        return 0;
    tree->count--;
    if (tree->count == 0) {
        free(tree->head);
        tree->head = NULL;
        return 1;
    }

    /* `from`, whose upward link led to the key, is no longer needed as a test: link past it. */
    heir = from->link[!bit_of(key, from->bit)];
    above->link[bit_of(key, above->bit)] = heir;
    if (from != to) {
        /* It holds another key: that key moves to the node which lost its own. */
        struct node *above_upward = tree->head, *next = above_upward->link[0];

        while (next != from && next->bit > above_upward->bit) {
            above_upward = next;
            next = above_upward->link[bit_of(from->key, above_upward->bit)];
            tree->tested++;
        }
        link = &above_upward->link[bit_of(from->key, above_upward->bit)];
        *link = to;
        to->key = from->key;
        to->route = from->route;
    }
    free(from);
    return 1;
}

static void walk(const struct node *from, const struct node *to, route_visitor *visit, void *context)
{
    if (to->bit <= from->bit) {
        visit(&to->route, context);
        return;
    }
    walk(to, to->link[0], visit, context);
    walk(to, to->link[1], visit, context);
}

void tree_walk(const struct tree *tree, route_visitor *visit, void *context)
{
    if (tree->head != NULL)
        walk(tree->head, tree->head->link[0], visit, context);
}

static void measure(const struct node *from, const struct node *to, int depth, uint64_t *last,
                    struct shape *shape)
{
    if (to->bit <= from->bit) {
        if (shape->keys > 0 && to->key <= *last)
            shape->valid = 0;
        *last = to->key;
        shape->keys++;
        shape->depths += depth;
        if (depth > shape->deepest)
            shape->deepest = depth;
        return;
    }
    shape->skipped += to->bit - from->bit - 1;
    measure(to, to->link[0], depth + 1, last, shape);
    measure(to, to->link[1], depth + 1, last, shape);
}

struct shape tree_measure(const struct tree *tree)
{
    struct shape shape = {0, 0, 0, 0, 1};
    uint64_t last = 0;

    if (tree->head != NULL)
        measure(tree->head, tree->head->link[0], 0, &last, &shape);
    if (shape.keys != tree->count)
        shape.valid = 0;
    return shape;
}

static void clear(struct node *from, struct node *to)
{
    if (to->bit <= from->bit)
        return;
    clear(to, to->link[0]);
    clear(to, to->link[1]);
    free(to);
}

void tree_clear(struct tree *tree)
{
    if (tree->head != NULL) {
        clear(tree->head, tree->head->link[0]);
        free(tree->head);
    }
    tree->head = NULL;
    tree->count = 0;
}
