/* SPDX-License-Identifier: Apache-2.0 */
/* The checks: direct sums, differences, distances, and a checksum of the final state. */
#include "checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

constexpr double small_force = 1e-3; /* kJ mol^-1 nm^-1: below this, errors are not relative */

/* Sampled atoms: every so many, from the first. */
std::size_t stride_of(const Simulation &simulation, int atoms)
{
    return std::max<std::size_t>(1, simulation.system().size() / static_cast<std::size_t>(std::max(1, atoms)));
}

Vector direct_sum(const Simulation &simulation, std::size_t atom, double cutoff)
{
    const System &system = simulation.system();
    const std::vector<Vector> &positions = simulation.positions();
    Vector sum;

    for (std::size_t other = 0; other < system.size(); other++) {
        const Relation relation = system.relation(atom, other);

        if (other == atom || relation == Relation::excluded)
            continue;
        const Vector away = system.nearest_image(positions[atom] - positions[other]);
        const double squared = square(away);

        if (squared >= cutoff * cutoff)
            continue;
        const Term dispersion = simulation.nonbonded().dispersion(system.type[atom], system.type[other], squared);
        const Term charges = simulation.nonbonded().exact(squared);
        const double scale = relation == Relation::modified ? system.scale14 : 1.0;

        sum += away * (scale * (dispersion.force + system.charge[atom] * system.charge[other] * charges.force));
    }
    return sum;
}

} // namespace

double mean_force(const std::vector<Vector> &forces)
{
    double sum = 0.0;

    for (const Vector &force : forces)
        sum += square(force);
    return std::sqrt(sum / static_cast<double>(forces.size()));
}

double check_direct_sum(Simulation &simulation, int atoms)
{
    const std::vector<Vector> forces = simulation.nonbonded_forces();
    const std::size_t stride = stride_of(simulation, atoms);
    double worst = 0.0;

    for (std::size_t atom = 0; atom < forces.size(); atom += stride) {
        const Vector expected = direct_sum(simulation, atom, simulation.cutoff());

        worst = std::max(worst, std::sqrt(square(forces[atom] - expected)));
    }
    return worst / (mean_force(forces) + small_force);
}

double check_numerically(Simulation &simulation, int atoms)
{
    constexpr double step = 1e-5; /* nm */
    const std::size_t stride = stride_of(simulation, atoms);
    double worst = 0.0;

    simulation.evaluate(true);
    const std::vector<Vector> forces = simulation.forces();

    for (std::size_t atom = 0; atom < forces.size(); atom += stride) {
        for (const Vector &axis : {Vector{1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0}, Vector{0.0, 0.0, 1.0}}) {
            simulation.move(atom, axis * step);
            simulation.evaluate(true);
            const double above = simulation.energies().potential();

            simulation.move(atom, axis * (-2.0 * step));
            simulation.evaluate(true);
            const double below = simulation.energies().potential();

            simulation.move(atom, axis * step);
            worst = std::max(worst, std::fabs((below - above) / (2.0 * step) - dot(forces[atom], axis)));
        }
    }
    simulation.evaluate(true);
    return worst / (mean_force(forces) + small_force);
}

double farthest_from(const Simulation &simulation, const std::vector<Vector> &positions)
{
    double farthest = 0.0;

    for (std::size_t i = 0; i < positions.size(); i++)
        farthest = std::max(farthest, square(simulation.positions()[i] - positions[i]));
    return std::sqrt(farthest);
}

/* Fowler, Noll and Vo's hash, a byte at a time, least significant first. */
std::uint64_t checksum(const Simulation &simulation)
{
    std::uint64_t hash = 0xcbf29ce484222325;

    for (const std::vector<Vector> *vectors : {&simulation.positions(), &simulation.velocities()}) {
        for (const Vector &vector : *vectors) {
            for (double number : {vector.x, vector.y, vector.z}) {
                std::uint64_t bits;

                std::memcpy(&bits, &number, sizeof bits);
                for (int i = 0; i < 8; i++) {
                    hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
                    bits >>= 8;
                }
            }
        }
    }
    return hash;
}
