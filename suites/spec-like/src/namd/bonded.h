/* SPDX-License-Identifier: Apache-2.0 */
/* Forces of bonds and angles. */
#ifndef NAMD_BONDED_H
#define NAMD_BONDED_H

#include "nonbonded.h"

#include <vector>

/* Add the forces of all bonds and angles, and their energies where sums are asked for. */
void add_bonded(const System &system, const std::vector<Vector> &positions, std::vector<Vector> &forces,
                Energies *sums);

#endif
