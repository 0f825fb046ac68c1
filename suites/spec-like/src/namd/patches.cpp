/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches and pair lists. Cells: B. Quentrec and C. Brot, Journal of Computational Physics 13,
 * 1973; lists with some slack: L. Verlet, Physical Review 159, 1967; a constant image offset for
 * each pair of patches, and patches with forces of their own, as in molecular dynamics in parallel
 * (L. Kalé et al., Journal of Computational Physics 151, 1999).
 */
#include "patches.h"

#include "errors.h"

#include <cmath>
#include <string>

namespace {

std::size_t count_along(double side, double reach)
{
    if (side < 2.0 * reach)
        throw InputError("the box's side " + std::to_string(side) + " is shorter than twice the pair list distance " +
                         std::to_string(reach));
    return static_cast<std::size_t>(side / reach);
}

double home_along(double place, double side)
{
    return std::floor(place / side) * side;
}

std::size_t cell_along(double place, double side, std::size_t count)
{
    const double cell = place / side * static_cast<double>(count);
    const auto whole = cell > 0.0 ? static_cast<std::size_t>(cell) : 0;

    return whole < count ? whole : count - 1;
}

/* One step from a cell to the next or the last; offset gets the box's side where the step leaves it. */
std::size_t step_along(std::size_t cell, int step, std::size_t count, double side, double &offset)
{
    offset = 0.0;
    if (step > 0 && cell == count - 1) {
        offset = side;
        return 0;
    }
    if (step < 0 && cell == 0) {
        offset = -side;
        return count - 1;
    }
    return step > 0 ? cell + 1 : step < 0 ? cell - 1 : cell;
}

} // namespace

Patches::Patches(const System &system, double reach)
    : system_(system), reach_(reach),
      counts_{count_along(system.box.x, reach), count_along(system.box.y, reach), count_along(system.box.z, reach)}
{
    patches.resize(counts_[0] * counts_[1] * counts_[2]);
    for (std::size_t z = 0; z < counts_[2]; z++) {
        for (std::size_t y = 0; y < counts_[1]; y++) {
            for (std::size_t x = 0; x < counts_[0]; x++) {
                /* Itself, and half of the neighbours: the others have it as theirs. */
                for (int step = 13; step < 27; step++) {
                    PatchPair pair;
                    const std::size_t across = step_along(x, step % 3 - 1, counts_[0], system.box.x, pair.offset.x);
                    const std::size_t along = step_along(y, step / 3 % 3 - 1, counts_[1], system.box.y, pair.offset.y);
                    const std::size_t up = step_along(z, step / 9 - 1, counts_[2], system.box.z, pair.offset.z);

                    pair.first = index(x, y, z);
                    pair.second = index(across, along, up);
                    pairs.push_back(pair);
                }
            }
        }
    }
}

void Patches::assign(const std::vector<Vector> &positions)
{
    const Vector &box = system_.box;

    for (Patch &patch : patches) {
        patch.atoms.clear();
        patch.homes.clear();
        patch.sites.clear();
    }
    for (std::size_t atom = 0; atom < positions.size(); atom++) {
        const Vector &place = positions[atom];
        const Vector home{home_along(place.x, box.x), home_along(place.y, box.y), home_along(place.z, box.z)};
        const Vector inside = place - home;
        Patch &patch = patches[index(cell_along(inside.x, box.x, counts_[0]), cell_along(inside.y, box.y, counts_[1]),
                                     cell_along(inside.z, box.z, counts_[2]))];

        patch.atoms.push_back(atom);
        patch.homes.push_back(home);
        patch.sites.push_back({inside, system_.charge[atom], system_.type[atom]});
    }
    for (Patch &patch : patches)
        patch.forces.assign(patch.atoms.size(), Vector{});
}

void Patches::list(PatchPair &pair) const
{
    const Patch &first = patches[pair.first], &second = patches[pair.second];
    const bool itself = pair.first == pair.second && square(pair.offset) == 0.0;
    const double reach_squared = reach_ * reach_;

    for (Partners *partners : {&pair.normal, &pair.modified}) {
        partners->start.assign(1, 0);
        partners->partner.clear();
    }
    for (std::size_t i = 0; i < first.sites.size(); i++) {
        const Vector place = first.sites[i].position - pair.offset;

        for (std::size_t j = itself ? i + 1 : 0; j < second.sites.size(); j++) {
            if (square(place - second.sites[j].position) >= reach_squared)
                continue;
            const Relation relation = system_.relation(first.atoms[i], second.atoms[j]);

            if (relation == Relation::normal)
                pair.normal.partner.push_back(static_cast<std::uint32_t>(j));
            else if (relation == Relation::modified)
                pair.modified.partner.push_back(static_cast<std::uint32_t>(j));
        }
        for (Partners *partners : {&pair.normal, &pair.modified})
            partners->start.push_back(static_cast<std::uint32_t>(partners->partner.size()));
    }
}

void Patches::rebuild(const std::vector<Vector> &positions)
{
    assign(positions);
    for (PatchPair &pair : pairs)
        list(pair);
    listed_at_ = positions;
}

bool Patches::current(const std::vector<Vector> &positions, double slack) const
{
    if (listed_at_.empty())
        return false;
    for (std::size_t atom = 0; atom < positions.size(); atom++)
        if (4.0 * square(positions[atom] - listed_at_[atom]) > slack * slack)
            return false;
    return true;
}

void Patches::load(const std::vector<Vector> &positions)
{
    for (Patch &patch : patches) {
        for (std::size_t i = 0; i < patch.atoms.size(); i++) {
            patch.sites[i].position = positions[patch.atoms[i]] - patch.homes[i];
            patch.forces[i] = Vector{};
        }
    }
}

void Patches::unload(std::vector<Vector> &forces) const
{
    for (const Patch &patch : patches)
        for (std::size_t i = 0; i < patch.atoms.size(); i++)
            forces[patch.atoms[i]] += patch.forces[i];
}

std::size_t Patches::listed_normal() const
{
    std::size_t sum = 0;

    for (const PatchPair &pair : pairs)
        sum += pair.normal.partner.size();
    return sum;
}

std::size_t Patches::listed_modified() const
{
    std::size_t sum = 0;

    for (const PatchPair &pair : pairs)
        sum += pair.modified.partner.size();
    return sum;
}
