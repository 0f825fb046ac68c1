/* SPDX-License-Identifier: Apache-2.0 */
/* Atoms in motion. */
#ifndef NAMD_SIMULATION_H
#define NAMD_SIMULATION_H

#include "nonbonded.h"
#include "options.h"

#include <memory>
#include <vector>

class Simulation {
public:
    Simulation(const System &system, const Options &options);

    /* Steepest descent; says how many of the steps went down. */
    int minimise(int steps);

    /* Draw velocities for a temperature, without any motion of the whole. */
    void heat(double temperature, std::uint64_t seed);

    /* One step of dynamics. Raises Failure where atoms go too far in it. */
    void step(bool with_energies);

    void turn_round();

    /* Calculate forces and energies for the positions as they are. */
    void evaluate(bool with_energies);

    /* Forces of the nonbonded pairs alone, at the positions as they are. */
    std::vector<Vector> nonbonded_forces();

    const Energies &energies() const
    {
        return energies_;
    }

    double temperature() const;
    double pressure() const;  /* bar */
    Vector momentum() const;
    void move(std::size_t atom, const Vector &by);

    const std::vector<Vector> &positions() const
    {
        return positions_;
    }

    const std::vector<Vector> &velocities() const
    {
        return velocities_;
    }

    const std::vector<Vector> &forces() const
    {
        return forces_;
    }

    const System &system() const
    {
        return system_;
    }

    const Nonbonded &nonbonded() const
    {
        return *nonbonded_;
    }

    const Patches &patches() const
    {
        return patches_;
    }

    double cutoff() const
    {
        return cutoff_;
    }

    int rebuilds() const
    {
        return rebuilds_;
    }

private:
    void renew_lists();
    double kinetic_energy() const;

    const System &system_;
    std::unique_ptr<Nonbonded> nonbonded_;
    double cutoff_;
    double slack_;
    double timestep_; /* ps */
    Patches patches_;
    std::vector<Vector> positions_, velocities_, forces_;
    Energies energies_;
    int rebuilds_ = 0;
};

#endif
