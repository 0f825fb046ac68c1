/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's equations by the velocity form of Verlet's method (W. C. Swope et al., 1982), with no friction. */
#include "nab.h"

#include <math.h>
#include <stdlib.h>

#define BOLTZMANN 0.0019872042586408316 /* kcal mol^-1 K^-1 */
#define ACCELERATION 418.4              /* Angstrom / ps^2 of 1 kcal mol^-1 / (Angstrom u) */

/* SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014). */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Nearly normal, of variance 1: the sum of twelve numbers from 0 to 1. */
static double normal(uint64_t *state)
{
    double sum = -6.0;

    for (int i = 0; i < 12; i++)
        sum += (double)(next_bits(state) >> 11) / 9007199254740992.0;
    return sum;
}

/* Kinetic energy, momentum, and angular momentum about the origin. */
void measure_motion(struct motion *motion, const struct molecule *molecule, const double *x)
{
    double sum = 0.0;

    for (int k = 0; k < 3; k++)
        motion->momentum[k] = motion->spin[k] = 0.0;
    for (int i = 0; i < molecule->atoms; i++) {
        const double *v = motion->velocity + 3 * i, *place = x + 3 * i;

        for (int k = 0; k < 3; k++) {
            int next = (k + 1) % 3, last = (k + 2) % 3;

            sum += molecule->mass[i] * v[k] * v[k];
            motion->momentum[k] += molecule->mass[i] * v[k];
            motion->spin[k] += molecule->mass[i] * (place[next] * v[last] - place[last] * v[next]);
        }
    }
    motion->kinetic = 0.5 * sum / ACCELERATION;
}

double temperature_of(const struct motion *motion, int atoms)
{
    return 2.0 * motion->kinetic / ((3.0 * atoms - 3.0) * BOLTZMANN);
}

/* Velocities for a temperature, without any motion of the whole. */
void start_motion(struct motion *motion, const struct molecule *molecule, double temperature, uint64_t seed)
{
    double mass = 0.0, factor;

    motion->velocity = allocate(3 * molecule->atoms, sizeof *motion->velocity);
    for (int i = 0; i < molecule->atoms; i++) {
        for (int k = 0; k < 3; k++)
            motion->velocity[3 * i + k] = normal(&seed) / sqrt(molecule->mass[i]);
        mass += molecule->mass[i];
    }
    measure_motion(motion, molecule, molecule->start);
    for (int i = 0; i < 3 * molecule->atoms; i++)
        motion->velocity[i] -= motion->momentum[i % 3] / mass;
    measure_motion(motion, molecule, molecule->start);
    factor = sqrt(temperature / temperature_of(motion, molecule->atoms));
    for (int i = 0; i < 3 * molecule->atoms; i++)
        motion->velocity[i] *= factor;
}

void free_motion(struct motion *motion)
{
    free(motion->velocity);
}

void move_on(struct motion *motion, struct model *model, struct point *point, double femtoseconds)
{
    const struct molecule *molecule = model->molecule;
    double step = femtoseconds / 1000.0;

    for (int i = 0; i < 3 * molecule->atoms; i++) {
        motion->velocity[i] -= 0.5 * step * ACCELERATION / molecule->mass[i / 3] * point->gradient[i];
        point->x[i] += step * motion->velocity[i];
    }
    evaluate(model, point);
    for (int i = 0; i < 3 * molecule->atoms; i++)
        motion->velocity[i] -= 0.5 * step * ACCELERATION / molecule->mass[i / 3] * point->gradient[i];
}
