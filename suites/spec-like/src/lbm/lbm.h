/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lattice Boltzmann method with 19 velocities in three dimensions (D3Q19): Qian, d'Humieres and
 * Lallemand, "Lattice BGK models for Navier-Stokes equation", Europhysics Letters 17, 1992.
 * Units are those of the lattice: spacing, time step and the density of the fluid at rest are 1.
 */
#ifndef LBM_H
#define LBM_H

#define Q 19

/* What is in a cell. Ghost cells around the region have a kind as well. */
enum kind {
    SOLID,
    LID,               /* a wall that moves along x */
    BULK,              /* fluid, and so are all neighbours */
    EDGE               /* fluid with a wall beside it */
};

/* Which sides of the region are walls; the others meet their opposite. */
enum walls {
    PERIODIC,          /* none */
    CHANNEL,           /* bottom and top (z) */
    CAVITY             /* all six */
};

/* Velocities 2k + 1 and 2k + 2 are opposite, 0 is at rest. */
extern const int VELOCITY[Q][3];
extern const double WEIGHT[Q];

static inline int opposite(int q)
{
    return q == 0 ? 0 : ((q - 1) ^ 1) + 1;
}

/*
 * A region of nx * ny * nz cells, numbered from 1, inside one layer of ghost cells. A population is an
 * array over all cells; the values in "now" are those after collision and before streaming.
 */
struct grid {
    int size[3];
    int periodic[3];
    long stride[3];
    long cells;
    long fluid;        /* cells of the region that are BULK or EDGE */
    long edges;        /* those that are EDGE */
    unsigned char *kind;
    long offset[Q];    /* from a cell to its neighbour in direction q */
    double *now[Q];
    double *next[Q];
    double *memory;
};

struct flow {
    double viscosity;
    double force[3];   /* on every cell of fluid */
    double lid;        /* velocity of the lid along x */
    double even;       /* relaxation rate of the stresses, 1 / (3 viscosity + 1/2) */
    double odd;        /* rate of the odd moments, for two relaxation times */
    double subgrid;    /* squared constant of Smagorinsky's model */
    double gain[Q];    /* what the lid adds to a population that bounces off it */
};

/* Totals over the fluid. */
struct totals {
    double mass;
    double carried[3]; /* momentum of the populations after collision */
    double flux[3];    /* momentum of the fluid */
    double energy;
    double fastest;    /* the highest speed */
};

_Noreturn void fail(const char *format, ...);
void *allocate(long count, int size);

void read_geometry(struct grid *grid, const char *path, enum walls walls);
void set_flow(struct flow *flow);
void fill_at_rest(struct grid *grid);
void wrap_around(struct grid *grid);
void free_grid(struct grid *grid);

/* One time step, all but the exchange of ghost cells: from "now" to "next". */
typedef void collision(struct grid *grid, const struct flow *flow);

collision step_bgk;
collision step_trt;
collision step_les;

double velocity_at(const struct grid *grid, const struct flow *flow, long cell, double velocity[3]);
void sum_up(const struct grid *grid, const struct flow *flow, struct totals *totals);
void force_of_walls(const struct grid *grid, const struct flow *flow, double force[3]);
void print_profile(const struct grid *grid, const struct flow *flow);
void write_slice(const struct grid *grid, const struct flow *flow, const char *path);

#endif
