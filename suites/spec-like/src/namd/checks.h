/* SPDX-License-Identifier: Apache-2.0 */
/* What can be known about a computation without doing it again. */
#ifndef NAMD_CHECKS_H
#define NAMD_CHECKS_H

#include "simulation.h"

#include <cstdint>
#include <vector>

/*
 * The largest difference between the forces on some atoms and their direct sum over all others,
 * without patches, lists and tables, as a part of the mean force.
 */
double check_direct_sum(Simulation &simulation, int atoms);

/* The largest difference between forces and differences of the energy, as a part of the mean force. */
double check_numerically(Simulation &simulation, int atoms);

/* Root of the mean squared force. */
double mean_force(const std::vector<Vector> &forces);

/* The farthest that an atom is from where it was. */
double farthest_from(const Simulation &simulation, const std::vector<Vector> &positions);

/* Of the bits of all positions and velocities. */
std::uint64_t checksum(const Simulation &simulation);

#endif
