/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton's equations by the velocity form of Verlet's method (W. C. Swope et al., Journal of
 * Chemical Physics 76, 1982), and steepest descent with a step that grows and shrinks.
 */
#include "simulation.h"

#include "bonded.h"
#include "errors.h"
#include "random.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace {

constexpr double boltzmann = 0.00831446261815324; /* kJ mol^-1 K^-1 */
constexpr double bar = 16.6053906717;             /* of 1 kJ mol^-1 nm^-3 */
constexpr double longest_step = 0.1;              /* nm */

} // namespace

Simulation::Simulation(const System &system, const Options &options)
    : system_(system),
      nonbonded_(Kind::make(options.electrostatics, system,
                            {options.switching, options.cutoff, options.damping, options.surroundings})),
      cutoff_(options.cutoff), slack_(options.slack), timestep_(options.timestep / 1000.0),
      patches_(system, options.cutoff + options.slack), positions_(system.position), velocities_(system.size()),
      forces_(system.size())
{
}

void Simulation::renew_lists()
{
    if (!patches_.current(positions_, slack_)) {
        patches_.rebuild(positions_);
        rebuilds_++;
    }
}

void Simulation::evaluate(bool with_energies)
{
    Energies sums;
    Energies *const wanted = with_energies ? &sums : nullptr;

    renew_lists();
    patches_.load(positions_);
    nonbonded_->add(patches_, wanted);
    std::fill(forces_.begin(), forces_.end(), Vector{});
    patches_.unload(forces_);
    add_bonded(system_, positions_, forces_, wanted);
    if (with_energies) {
        sums.kinetic = kinetic_energy();
        energies_ = sums;
    }
}

std::vector<Vector> Simulation::nonbonded_forces()
{
    std::vector<Vector> forces(system_.size());

    renew_lists();
    patches_.load(positions_);
    nonbonded_->add(patches_, nullptr);
    patches_.unload(forces);
    return forces;
}

int Simulation::minimise(int steps)
{
    double length = 0.01; /* nm that the atom with the largest force moves */
    int down = 0;

    evaluate(true);
    for (int step = 0; step < steps; step++) {
        const std::vector<Vector> old_positions = positions_, old_forces = forces_;
        const Energies old_energies = energies_;
        double largest = 0.0;

        for (const Vector &force : forces_)
            largest = std::max(largest, square(force));
        if (!(largest > 0.0))
            break;
        const double factor = length / std::sqrt(largest);

        for (std::size_t i = 0; i < positions_.size(); i++)
            positions_[i] += forces_[i] * factor;
        evaluate(true);
        if (energies_.potential() < old_energies.potential()) {
            length = std::min(1.2 * length, longest_step);
            down++;
        } else {
            length *= 0.5;
            positions_ = old_positions;
            forces_ = old_forces;
            energies_ = old_energies;
        }
    }
    return down;
}

void Simulation::heat(double temperature, std::uint64_t seed)
{
    Random random(seed);
    double total = 0.0;

    for (std::size_t i = 0; i < velocities_.size(); i++) {
        const double speed = 1.0 / std::sqrt(system_.mass[i]);

        velocities_[i] = Vector{random.normal(), random.normal(), random.normal()} * speed;
        total += system_.mass[i];
    }
    const Vector drift = momentum() * (1.0 / total);

    for (Vector &velocity : velocities_)
        velocity -= drift;
    const double now = kinetic_energy();
    const double freedom = 3.0 * static_cast<double>(system_.size()) - 3.0;
    const double factor = std::sqrt(0.5 * freedom * boltzmann * temperature / now);

    for (Vector &velocity : velocities_)
        velocity *= factor;
}

void Simulation::step(bool with_energies)
{
    const double half = 0.5 * timestep_;

    for (std::size_t i = 0; i < positions_.size(); i++) {
        velocities_[i] += forces_[i] * (half / system_.mass[i]);
        const Vector way = velocities_[i] * timestep_;

        if (!(square(way) < longest_step * longest_step)) {
            std::ostringstream text;

            text << "atom " << i << " moves too fast: the time step is too long, or atoms were too near";
            throw Failure(text.str());
        }
        positions_[i] += way;
    }
    evaluate(with_energies);
    for (std::size_t i = 0; i < positions_.size(); i++)
        velocities_[i] += forces_[i] * (half / system_.mass[i]);
    if (with_energies)
        energies_.kinetic = kinetic_energy();
}

void Simulation::turn_round()
{
    for (Vector &velocity : velocities_)
        velocity *= -1.0;
}

void Simulation::move(std::size_t atom, const Vector &by)
{
    positions_[atom] += by;
}

double Simulation::kinetic_energy() const
{
    double sum = 0.0;

    for (std::size_t i = 0; i < velocities_.size(); i++)
        sum += 0.5 * system_.mass[i] * square(velocities_[i]);
    return sum;
}

double Simulation::temperature() const
{
    return 2.0 * energies_.kinetic / ((3.0 * static_cast<double>(system_.size()) - 3.0) * boltzmann);
}

double Simulation::pressure() const
{
    return bar * (2.0 * energies_.kinetic + energies_.virial) / (3.0 * system_.volume());
}

Vector Simulation::momentum() const
{
    Vector sum;

    for (std::size_t i = 0; i < velocities_.size(); i++)
        sum += velocities_[i] * system_.mass[i];
    return sum;
}
