/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collision with two relaxation times, one for the even and one for the odd part of opposite
 * populations: Ginzburg, Verhaeghe and d'Humieres, "Two-relaxation-time lattice Boltzmann scheme",
 * Communications in Computational Physics 3, 2008. The force is that of Guo, Zheng and Shi (2002), its
 * even and odd part each with the rate of its own.
 */
#include "stream.h"

struct state {
    double density;
    double velocity[3];
    double rest;       /* 1 - 3/2 u^2 */
    double still;      /* u * force */
};

static inline void find_state(const double f[Q], const struct flow *flow, struct state *state)
{
    double momentum[3], square = 0.0;

    state->density = f[0];
    for (int q = 1; q < Q; q++)
        state->density += f[q];
    momentum[0] = f[1] - f[2] + f[7] - f[8] + f[9] - f[10] + f[11] - f[12] + f[13] - f[14];
    momentum[1] = f[3] - f[4] + f[7] - f[8] - f[9] + f[10] + f[15] - f[16] + f[17] - f[18];
    momentum[2] = f[5] - f[6] + f[11] - f[12] - f[13] + f[14] + f[15] - f[16] - f[17] + f[18];
    state->still = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double u = (momentum[axis] + 0.5 * flow->force[axis]) / state->density;

        state->velocity[axis] = u;
        square += u * u;
        state->still += u * flow->force[axis];
    }
    state->rest = 1.0 - 1.5 * square;
}

/* Relax f[0] and f[1], which are opposite; along and push are velocity and force in f[0]'s direction. */
static inline void relax_pair(double f[2], double weight, const struct state *state, const struct flow *flow,
                              double along, double push)
{
    double share = weight * state->density;
    double even = 0.5 * (f[0] + f[1]), odd = 0.5 * (f[0] - f[1]);

    even -= flow->even * (even - share * (state->rest + 4.5 * along * along));
    even += (1.0 - 0.5 * flow->even) * weight * (9.0 * along * push - 3.0 * state->still);
    odd -= flow->odd * (odd - share * 3.0 * along);
    odd += (1.0 - 0.5 * flow->odd) * weight * 3.0 * push;
    f[0] = even + odd;
    f[1] = even - odd;
}

static inline void collide(double f[Q], const struct flow *flow)
{
    const double *u, *a = flow->force;
    double w1 = WEIGHT[1], w2 = WEIGHT[7];
    struct state state;

    find_state(f, flow, &state);
    u = state.velocity;
    f[0] -= flow->even * (f[0] - WEIGHT[0] * state.density * state.rest);
    f[0] -= (1.0 - 0.5 * flow->even) * WEIGHT[0] * 3.0 * state.still;
    relax_pair(f + 1, w1, &state, flow, u[0], a[0]);
    relax_pair(f + 3, w1, &state, flow, u[1], a[1]);
    relax_pair(f + 5, w1, &state, flow, u[2], a[2]);
    relax_pair(f + 7, w2, &state, flow, u[0] + u[1], a[0] + a[1]);
    relax_pair(f + 9, w2, &state, flow, u[0] - u[1], a[0] - a[1]);
    relax_pair(f + 11, w2, &state, flow, u[0] + u[2], a[0] + a[2]);
    relax_pair(f + 13, w2, &state, flow, u[0] - u[2], a[0] - a[2]);
    relax_pair(f + 15, w2, &state, flow, u[1] + u[2], a[1] + a[2]);
    relax_pair(f + 17, w2, &state, flow, u[1] - u[2], a[1] - a[2]);
}

void step_trt(struct grid *grid, const struct flow *flow)
{
    double f[Q];

    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            long row = z * grid->stride[2] + y * grid->stride[1];

            for (long cell = row + 1; cell <= row + grid->size[0]; cell++) {
                if (grid->kind[cell] < BULK)
                    continue;
                pull(grid, flow, cell, f);
                collide(f, flow);
                store(grid, cell, f);
            }
        }
    }
}
