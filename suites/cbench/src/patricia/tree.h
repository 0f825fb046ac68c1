/* SPDX-License-Identifier: Apache-2.0 */
/* A PATRICIA tree of IPv4 prefixes, each with a value. */
#ifndef TREE_H
#define TREE_H

#include <stdint.h>

/* The first `length` bits of `address`; its other bits are zero. */
struct prefix {
    uint32_t address;
    int length;
};

struct route {
    struct prefix prefix;
    int value;
    long hits;             /* look-ups that ended here */
};

struct node;

struct tree {
    struct node *head;     /* NULL while the tree is empty */
    int count;
    long tested;           /* bits tested so far, in all operations */
    long compared;         /* keys compared so far */
};

/* What tree_measure finds. */
struct shape {
    int keys;
    int deepest;           /* most bits tested on the way to a key */
    long depths;           /* sum of these over the keys */
    int skipped;           /* bit positions that the paths pass over */
    int valid;             /* 1 when the tree is in order */
};

uint32_t prefix_mask(int length);

/* Add a route, or give the prefix a new value. 1: added, 0: it was there, -1: out of memory. */
int tree_insert(struct tree *tree, struct prefix prefix, int value);

/* The route of exactly this prefix, or NULL. */
struct route *tree_find(struct tree *tree, struct prefix prefix);

/* The route of the longest prefix that the address begins with, or NULL. */
struct route *tree_match(struct tree *tree, uint32_t address);

/* Take a route out. 1: done, 0: it was not there. */
int tree_delete(struct tree *tree, struct prefix prefix);

typedef void route_visitor(const struct route *route, void *context);

/* Call visit for each route, in order of address and, among equals, of length. */
void tree_walk(const struct tree *tree, route_visitor *visit, void *context);

struct shape tree_measure(const struct tree *tree);
void tree_clear(struct tree *tree);

#endif
