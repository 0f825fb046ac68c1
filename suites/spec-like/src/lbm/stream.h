/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaming: the populations that arrive in a cell. One that would come out of a wall is the one that
 * went in, turned round (half-way bounce-back: Ladd, Journal of Fluid Mechanics 271, 1994).
 */
#ifndef STREAM_H
#define STREAM_H

#include "lbm.h"

/* What arrives in a cell beside a wall from direction q. */
static inline double arriving(const struct grid *grid, const struct flow *flow, long cell, int q)
{
    long from = cell - grid->offset[q];

    if (grid->kind[from] >= BULK)
        return grid->now[q][from];
    if (grid->kind[from] == LID)
        return grid->now[opposite(q)][cell] + flow->gain[q];
    return grid->now[opposite(q)][cell];
}

static inline void pull(const struct grid *grid, const struct flow *flow, long cell, double f[Q])
{
    if (grid->kind[cell] == BULK) {
        for (int q = 0; q < Q; q++)
            f[q] = grid->now[q][cell - grid->offset[q]];
    } else {
        f[0] = grid->now[0][cell];
        for (int q = 1; q < Q; q++)
            f[q] = arriving(grid, flow, cell, q);
    }
}

static inline void store(struct grid *grid, long cell, const double f[Q])
{
    for (int q = 0; q < Q; q++)
        grid->next[q][cell] = f[q];
}

#endif
