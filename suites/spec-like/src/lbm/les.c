/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collision with one relaxation time that grows where the fluid is sheared, as eddies below the grid's
 * resolution would make it: Smagorinsky's model after Hou, Sterling, Chen and Doolen, "A lattice
 * Boltzmann subgrid model for high Reynolds number flows", 1994. Loops over the table of velocities.
 */
#include "stream.h"

#include <math.h>

static double dot(const int velocity[3], const double other[3])
{
    return velocity[0] * other[0] + velocity[1] * other[1] + velocity[2] * other[2];
}

/* Density and velocity; the velocity has half of the force's push already. */
static double moments(const double f[Q], const struct flow *flow, double velocity[3])
{
    double density = 0.0;

    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = 0.5 * flow->force[axis];
    for (int q = 0; q < Q; q++) {
        density += f[q];
        for (int axis = 0; axis < 3; axis++)
            velocity[axis] += VELOCITY[q][axis] * f[q];
    }
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] /= density;
    return density;
}

static void find_equilibrium(double density, const double velocity[3], double equilibrium[Q])
{
    double square = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];

    for (int q = 0; q < Q; q++) {
        double along = dot(VELOCITY[q], velocity);

        equilibrium[q] = WEIGHT[q] * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
    }
}

/* The norm of the tensor of momentum flux that is not in equilibrium. */
static double stress(const double f[Q], const double equilibrium[Q])
{
    double tensor[3][3] = {{0.0}}, square = 0.0;

    for (int q = 1; q < Q; q++) {
        double excess = f[q] - equilibrium[q];

        for (int a = 0; a < 3; a++)
            for (int b = a; b < 3; b++)
                tensor[a][b] += VELOCITY[q][a] * VELOCITY[q][b] * excess;
    }
    for (int a = 0; a < 3; a++) {
        square += tensor[a][a] * tensor[a][a];
        for (int b = a + 1; b < 3; b++)
            square += 2.0 * tensor[a][b] * tensor[a][b];
    }
    return sqrt(square);
}

static void collide(double f[Q], const struct flow *flow)
{
    double equilibrium[Q], velocity[3];
    double density = moments(f, flow, velocity), still = 0.0, time, rate, eddies;

    find_equilibrium(density, velocity, equilibrium);
    time = 1.0 / flow->even;
    eddies = 18.0 * sqrt(2.0) * flow->subgrid * stress(f, equilibrium) / density;
    rate = 2.0 / (time + sqrt(time * time + eddies));
    for (int axis = 0; axis < 3; axis++)
        still += velocity[axis] * flow->force[axis];
    for (int q = 0; q < Q; q++) {
        double along = dot(VELOCITY[q], velocity), push = dot(VELOCITY[q], flow->force);
        double source = WEIGHT[q] * (3.0 * push - 3.0 * still + 9.0 * along * push);

        f[q] += rate * (equilibrium[q] - f[q]) + (1.0 - 0.5 * rate) * source;
    }
}

void step_les(struct grid *grid, const struct flow *flow)
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
