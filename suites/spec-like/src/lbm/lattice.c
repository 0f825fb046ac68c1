/* SPDX-License-Identifier: Apache-2.0 */
/* The velocities and their weights, constants derived from the flow, and the exchange of ghost cells. */
#include "lbm.h"

#include <stdlib.h>
#include <string.h>

const int VELOCITY[Q][3] = {
    {0, 0, 0},
    {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},  {0, -1, 0},  {0, 0, 1},  {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},
    {1, 0, 1},  {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
    {0, 1, 1},  {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

#define W0 (1.0 / 3.0)
#define W1 (1.0 / 18.0)
#define W2 (1.0 / 36.0)

const double WEIGHT[Q] = {W0, W1, W1, W1, W1, W1, W1, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2};

/*
 * The product of (1/even - 1/2) and (1/odd - 1/2) is 3/16, which puts walls exactly half-way between
 * cells: Ginzburg and d'Humieres, "Multireflection boundary conditions for lattice Boltzmann
 * models", Physical Review E 68, 2003.
 */
void set_flow(struct flow *flow)
{
    double excess = 3.0 * flow->viscosity;

    flow->even = 1.0 / (excess + 0.5);
    flow->odd = 1.0 / (3.0 / (16.0 * excess) + 0.5);
    for (int q = 0; q < Q; q++)
        flow->gain[q] = 6.0 * WEIGHT[q] * VELOCITY[q][0] * flow->lid;
}

void fill_at_rest(struct grid *grid)
{
    grid->memory = allocate(2 * Q * grid->cells, sizeof *grid->memory);
    for (int q = 0; q < Q; q++) {
        grid->now[q] = grid->memory + 2 * q * grid->cells;
        grid->next[q] = grid->now[q] + grid->cells;
        for (long cell = 0; cell < grid->cells; cell++)
            grid->now[q][cell] = grid->next[q][cell] = WEIGHT[q];
    }
}

/* Copy one layer of cells across the given axis, as far as population q reaches into the region. */
static void copy_layer(const struct grid *grid, double *population, int axis, int from, int to)
{
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const double *source = population + from * grid->stride[axis];
    double *target = population + to * grid->stride[axis];

    for (int j = 0; j < grid->size[b] + 2; j++) {
        long line = j * grid->stride[b];

        if (a == 0) {
            memcpy(target + line, source + line, (size_t)(grid->size[0] + 2) * sizeof *target);
        } else {
            for (int i = 0; i < grid->size[a] + 2; i++)
                target[line + i * grid->stride[a]] = source[line + i * grid->stride[a]];
        }
    }
}

/* Axis after axis, whole layers with their ghost cells, so that edges and corners come out right. */
void wrap_around(struct grid *grid)
{
    for (int axis = 0; axis < 3; axis++) {
        int size = grid->size[axis];

        if (!grid->periodic[axis])
            continue;
        for (int q = 1; q < Q; q++) {
            if (VELOCITY[q][axis] > 0)
                copy_layer(grid, grid->now[q], axis, size, 0);
            else if (VELOCITY[q][axis] < 0)
                copy_layer(grid, grid->now[q], axis, 1, size + 1);
        }
    }
}

void free_grid(struct grid *grid)
{
    free(grid->kind);
    free(grid->memory);
}
