/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collision with one relaxation time: Bhatnagar, Gross and Krook, Physical Review 94, 1954; the body
 * force after Guo, Zheng and Shi, "Discrete lattice effects on the forcing term in the lattice
 * Boltzmann method", Physical Review E 65, 2002. Works on stretches of fluid in a row, one
 * population after the other.
 */
#include "stream.h"

#include <string.h>

#define STRETCH 64

typedef double stretch[STRETCH];

static void pull_stretch(const struct grid *grid, const struct flow *flow, long first, int length, stretch *f)
{
    for (int q = 0; q < Q; q++)
        memcpy(f[q], grid->now[q] + first - grid->offset[q], (size_t)length * sizeof f[q][0]);
    for (int i = 0; i < length; i++) {
        if (grid->kind[first + i] == EDGE)
            for (int q = 1; q < Q; q++)
                f[q][i] = arriving(grid, flow, first + i, q);
    }
}

/* Density, velocity, and what all directions need, of every cell of a stretch. */
struct moments {
    stretch density;
    stretch velocity[3];
    stretch rest;      /* 1 - 3/2 u^2 */
    stretch still;     /* u * force */
};

static void find_moments(stretch *f, int length, const struct flow *flow, struct moments *m)
{
    double fx = flow->force[0], fy = flow->force[1], fz = flow->force[2];

    for (int i = 0; i < length; i++) {
        double axial = f[1][i] + f[2][i] + f[3][i] + f[4][i] + f[5][i] + f[6][i];
        double level = f[7][i] + f[8][i] + f[9][i] + f[10][i];
        double upright = f[11][i] + f[12][i] + f[13][i] + f[14][i] + f[15][i] + f[16][i] + f[17][i] + f[18][i];
        double density = f[0][i] + axial + level + upright;
        double x = f[1][i] - f[2][i] + f[7][i] - f[8][i] + f[9][i] - f[10][i] + f[11][i] - f[12][i] + f[13][i] -
                   f[14][i];
        double y = f[3][i] - f[4][i] + f[7][i] - f[8][i] - f[9][i] + f[10][i] + f[15][i] - f[16][i] + f[17][i] -
                   f[18][i];
        double z = f[5][i] - f[6][i] + f[11][i] - f[12][i] - f[13][i] + f[14][i] + f[15][i] - f[16][i] -
                   f[17][i] + f[18][i];
        double ux = (x + 0.5 * fx) / density, uy = (y + 0.5 * fy) / density, uz = (z + 0.5 * fz) / density;

        m->density[i] = density;
        m->velocity[0][i] = ux;
        m->velocity[1][i] = uy;
        m->velocity[2][i] = uz;
        m->rest[i] = 1.0 - 1.5 * (ux * ux + uy * uy + uz * uz);
        m->still[i] = ux * fx + uy * fy + uz * fz;
    }
}

/* Relax populations q and q + 1, which are opposite, from f to the new ones. */
static void relax_two(const struct moments *m, stretch *f, int length, const struct flow *flow, int q,
                      double *forth, double *back)
{
    double ex = VELOCITY[q][0], ey = VELOCITY[q][1], ez = VELOCITY[q][2], rate = flow->even;
    double push = ex * flow->force[0] + ey * flow->force[1] + ez * flow->force[2];
    double weight = WEIGHT[q], drive = weight * (1.0 - 0.5 * rate);

    for (int i = 0; i < length; i++) {
        double along = ex * m->velocity[0][i] + ey * m->velocity[1][i] + ez * m->velocity[2][i];
        double share = weight * m->density[i];
        double even = m->rest[i] + 4.5 * along * along, odd = 3.0 * along;
        double even_push = 9.0 * along * push - 3.0 * m->still[i], odd_push = 3.0 * push;
        double f0 = f[q][i], f1 = f[q + 1][i];

        forth[i] = f0 + rate * (share * (even + odd) - f0) + drive * (even_push + odd_push);
        back[i] = f1 + rate * (share * (even - odd) - f1) + drive * (even_push - odd_push);
    }
}

static void relax_resting(const struct moments *m, const double *f, int length, const struct flow *flow, double *out)
{
    double rate = flow->even, weight = WEIGHT[0], drive = weight * (1.0 - 0.5 * rate);

    for (int i = 0; i < length; i++)
        out[i] = f[i] + rate * (weight * m->density[i] * m->rest[i] - f[i]) - 3.0 * drive * m->still[i];
}

static void step_row(struct grid *grid, const struct flow *flow, long first, long end)
{
    struct moments m;
    stretch f[Q];

    while (first < end) {
        int length = 0;

        while (length < STRETCH && first + length < end && grid->kind[first + length] >= BULK)
            length++;
        if (length == 0) {
            first++;
            continue;
        }
        pull_stretch(grid, flow, first, length, f);
        find_moments(f, length, flow, &m);
        relax_resting(&m, f[0], length, flow, grid->next[0] + first);
        for (int q = 1; q < Q; q += 2)
            relax_two(&m, f, length, flow, q, grid->next[q] + first, grid->next[q + 1] + first);
        first += length;
    }
}

void step_bgk(struct grid *grid, const struct flow *flow)
{
    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            long first = z * grid->stride[2] + y * grid->stride[1] + 1;

            step_row(grid, flow, first, first + grid->size[0]);
        }
    }
}
