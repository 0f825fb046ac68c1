/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured of a flow: totals, the force of the walls, a profile, and a picture of a slice. */
#include "stream.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BRIGHTEST 65535

/* Momentum that the populations of a cell carry after the collision; returns the density. */
static double carried_by(const struct grid *grid, long cell, double momentum[3])
{
    double density = 0.0;

    momentum[0] = momentum[1] = momentum[2] = 0.0;
    for (int q = 0; q < Q; q++) {
        double f = grid->now[q][cell];

        density += f;
        for (int axis = 0; axis < 3; axis++)
            momentum[axis] += VELOCITY[q][axis] * f;
    }
    return density;
}

/* The collision added the whole of the force, the fluid's momentum has half of it. */
double velocity_at(const struct grid *grid, const struct flow *flow, long cell, double velocity[3])
{
    double density = carried_by(grid, cell, velocity);

    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = (velocity[axis] - 0.5 * flow->force[axis]) / density;
    return density;
}

static double square_of(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

void sum_up(const struct grid *grid, const struct flow *flow, struct totals *totals)
{
    memset(totals, 0, sizeof *totals);
    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            for (int x = 1; x <= grid->size[0]; x++) {
                long cell = x + y * grid->stride[1] + z * grid->stride[2];
                double carried[3], flux[3], density, square;

                if (grid->kind[cell] < BULK)
                    continue;
                density = carried_by(grid, cell, carried);
                for (int axis = 0; axis < 3; axis++) {
                    flux[axis] = carried[axis] - 0.5 * flow->force[axis];
                    totals->carried[axis] += carried[axis];
                    totals->flux[axis] += flux[axis];
                }
                square = square_of(flux) / (density * density);
                totals->mass += density;
                totals->energy += 0.5 * density * square;
                if (!(square <= totals->fastest)) /* also where it is not a number */
                    totals->fastest = square;
            }
        }
    }
    totals->fastest = sqrt(totals->fastest);
}

/* The momentum that bouncing off the walls gives to the fluid in the next step. */
void force_of_walls(const struct grid *grid, const struct flow *flow, double force[3])
{
    force[0] = force[1] = force[2] = 0.0;
    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            for (int x = 1; x <= grid->size[0]; x++) {
                long cell = x + y * grid->stride[1] + z * grid->stride[2];

                if (grid->kind[cell] != EDGE)
                    continue;
                for (int q = 1; q < Q; q++) {
                    double turned;

                    if (grid->kind[cell - grid->offset[q]] >= BULK)
                        continue;
                    turned = arriving(grid, flow, cell, q) + grid->now[opposite(q)][cell];
                    for (int axis = 0; axis < 3; axis++)
                        force[axis] += VELOCITY[q][axis] * turned;
                }
            }
        }
    }
}

/* The mean velocity of every plane of constant height. */
void print_profile(const struct grid *grid, const struct flow *flow)
{
    for (int z = 1; z <= grid->size[2]; z++) {
        double mean[3] = {0.0, 0.0, 0.0};
        long count = 0;

        for (int y = 1; y <= grid->size[1]; y++) {
            for (int x = 1; x <= grid->size[0]; x++) {
                long cell = x + y * grid->stride[1] + z * grid->stride[2];
                double velocity[3];

                if (grid->kind[cell] < BULK)
                    continue;
                velocity_at(grid, flow, cell, velocity);
                for (int axis = 0; axis < 3; axis++)
                    mean[axis] += velocity[axis];
                count++;
            }
        }
        for (int axis = 0; axis < 3; axis++)
            mean[axis] /= count > 0 ? (double)count : 1.0;
        printf("plane %d: %ld cells, velocity %.10e %.10e %.10e\n", z, count, mean[0], mean[1], mean[2]);
    }
}

/* Speeds on the plane in the middle of y, x to the right and z upwards, as a PGM image of 16 bits. */
void write_slice(const struct grid *grid, const struct flow *flow, const char *path)
{
    int width = grid->size[0], height = grid->size[2];
    long pixels = (long)width * height, plane = (grid->size[1] + 1) / 2 * grid->stride[1];
    double *speed = allocate(pixels, sizeof *speed), fastest = 0.0, velocity[3];
    FILE *file = fopen(path, "wb");

    if (file == NULL)
        fail("cannot create %s: %s", path, strerror(errno));
    for (long i = 0; i < pixels; i++) {
        long cell = plane + (height - i / width) * grid->stride[2] + i % width + 1;

        speed[i] = -1.0;
        if (grid->kind[cell] < BULK)
            continue;
        velocity_at(grid, flow, cell, velocity);
        speed[i] = sqrt(square_of(velocity));
        if (speed[i] > fastest)
            fastest = speed[i];
    }
    fprintf(file, "P5\n%d %d\n%d\n", width, height, BRIGHTEST);
    for (long i = 0; i < pixels; i++) {
        int level = 0; /* solid */

        if (speed[i] >= 0.0)
            level = fastest > 0.0 ? 1 + (int)(speed[i] / fastest * (BRIGHTEST - 1)) : 1;
        putc(level >> 8, file);
        putc(level & 0xff, file);
    }
    if (ferror(file) || fclose(file) != 0)
        fail("cannot write %s", path);
    free(speed);
}
