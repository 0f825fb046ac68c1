/* SPDX-License-Identifier: Apache-2.0 */
/* Minimum-cost flow: instances, the network with its spanning tree, and what the parts offer. */
#ifndef MCF_H
#define MCF_H

#include <stdint.h>

/* An arc as the file has it; nodes are 1 to instance.nodes. */
struct line {
    int tail, head;
    int64_t low, capacity, cost;
};

struct instance {
    int nodes, arcs;
    int64_t *supply;            /* by node; negative where flow is wanted */
    struct line *line;
    int64_t units;              /* sum of the positive supplies */
    int64_t cheapest, dearest;  /* least and largest cost of an arc */
};

/* A nonbasic arc's state is the sign of the change that its flow allows. */
enum state { AT_UPPER = -1, BASIC = 0, AT_LOWER = 1 };

/* An arc of the network. Lower bounds are shifted to 0; flow and capacity are what is above them. */
struct arc {
    struct node *tail, *head;
    int64_t cost;
    int64_t capacity;
    int64_t flow;
    int state;
    int number;                 /* place in the file, -1 for artificial arcs */
};

/* A node of the network and of the spanning tree. The thread visits the tree in preorder, in a circle. */
struct node {
    int64_t potential;
    int64_t supply;
    struct node *parent;
    struct node *thread;
    struct node *previous;      /* the thread backwards */
    struct arc *basic;          /* the arc that joins the node and its parent */
    int depth;
    int number;
};

struct network {
    int nodes, arcs;
    int active;                 /* arc[0] to arc[active - 1] may enter the basis, the others wait at flow 0 */
    struct node *node;          /* node[0] is the root, which is not in the file */
    struct arc *arc;
    struct arc *artificial;     /* artificial[i] joins node i and the root */
};

/* What the algorithm did. */
struct effort {
    long pivots;
    long degenerate;            /* pivots that changed no flow */
    long flips;                 /* pivots after which the entering arc is at its other bound */
    long priced;                /* reduced costs computed in the search for entering arcs */
    long climbed;               /* tree arcs on the cycles of pivots */
    long moved;                 /* nodes of subtrees that were hung to another place */
    int rounds;                 /* optimisations over the active arcs */
};

enum rule { BASKET, BLOCK, BEST };

struct candidate {
    struct arc *arc;
    int64_t violation;
};

/* The search for an entering arc. */
struct pricing {
    enum rule rule;
    int position;               /* BLOCK: the next arc; BASKET: the next group */
    int groups;
    int count;
    struct candidate *basket;
};

/* The answer, by the numbers of the file. */
struct solution {
    int64_t *flow;
    int64_t *price;             /* negated potentials: what a unit costs at a node */
    int64_t cost;
    int64_t missing;            /* units that cannot be sent; 0 when the flow is feasible */
};

/* support.c */
_Noreturn void fail(const char *format, ...);
void *allocate(int64_t count, int64_t size);
void mix(uint64_t *checksum, int64_t value);
char *read_file(const char *path);

/* dimacs.c */
void read_instance(struct instance *instance, const char *path);
void free_instance(struct instance *instance);

/* network.c */
void build_network(struct network *network, const struct instance *instance);
void free_network(struct network *network);
void extract_solution(struct solution *solution, const struct network *network, const struct instance *instance);
void free_solution(struct solution *solution);

/* tree.c */
void plant_tree(struct network *network);
long move_subtree(struct node *cut, struct node *inside, struct node *outside, struct arc *entering, int64_t shift);
const char *tree_fault(const struct network *network);

/* pricing.c */
int64_t violation(const struct arc *arc);
void start_pricing(struct pricing *pricing, const struct network *network, enum rule rule);
struct arc *entering_arc(struct pricing *pricing, const struct network *network, struct effort *effort);
void end_pricing(struct pricing *pricing);

/* simplex.c */
void optimise(struct network *network, enum rule rule, struct effort *effort);

/* sift.c */
void suspend_arcs(struct network *network, int keep);
void sift(struct network *network, enum rule rule, struct effort *effort);

/* verify.c */
const char *solution_fault(const struct instance *instance, const struct solution *solution);

/* paths.c */
void show_paths(const struct instance *instance, const struct solution *solution, int in_full, uint64_t *checksum);

#endif
