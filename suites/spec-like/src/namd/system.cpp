/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a system's definition: mixed parameters, relations of atoms, images. */
#include "system.h"

#include <algorithm>
#include <cmath>

LennardJones lennard_jones(double sigma, double epsilon)
{
    const double cube = sigma * sigma * sigma, sixth = cube * cube;

    return {4.0 * epsilon * sixth * sixth, 4.0 * epsilon * sixth};
}

/* Breadth first from each atom along the bonds. */
void Molecule::relate(int excluded, bool modify)
{
    std::vector<std::vector<std::size_t>> neighbours(size());

    for (const Bond &bond : bonds) {
        neighbours[bond.first].push_back(bond.second);
        neighbours[bond.second].push_back(bond.first);
    }
    relations.assign(size() * size(), Relation::normal);
    for (std::size_t from = 0; from < size(); from++) {
        std::vector<int> distance(size(), -1);
        std::vector<std::size_t> queue{from};

        distance[from] = 0;
        for (std::size_t head = 0; head < queue.size() && distance[queue[head]] < 3; head++) {
            for (std::size_t to : neighbours[queue[head]]) {
                if (distance[to] < 0) {
                    distance[to] = distance[queue[head]] + 1;
                    queue.push_back(to);
                }
            }
        }
        for (std::size_t to : queue) {
            if (distance[to] <= excluded)
                relations[from * size() + to] = Relation::excluded;
            else if (distance[to] == 3 && modify)
                relations[from * size() + to] = Relation::modified;
        }
    }
}

/* H. A. Lorentz's rule for sigma, D. Berthelot's for epsilon. */
LennardJones System::mixed(std::size_t first, std::size_t second) const
{
    const auto found = pairs.find(std::minmax(first, second));

    if (found != pairs.end())
        return found->second;
    return lennard_jones((types[first].sigma + types[second].sigma) / 2.0,
                         std::sqrt(types[first].epsilon * types[second].epsilon));
}

Vector System::nearest_image(Vector difference) const
{
    difference.x -= box.x * std::floor(difference.x / box.x + 0.5);
    difference.y -= box.y * std::floor(difference.y / box.y + 0.5);
    difference.z -= box.z * std::floor(difference.z / box.z + 0.5);
    return difference;
}

void System::add(std::size_t number, const std::vector<Vector> &positions)
{
    const Molecule &molecule = molecules[number];
    const std::size_t start = size();

    for (std::size_t i = 0; i < molecule.size(); i++) {
        type.push_back(molecule.types[i]);
        charge.push_back(molecule.charges[i]);
        mass.push_back(types[molecule.types[i]].mass);
        place.push_back(i);
        instance.push_back(kind.size());
        position.push_back(positions[i]);
    }
    for (const Bond &bond : molecule.bonds)
        bonds.push_back({start + bond.first, start + bond.second, bond.stiffness, bond.length});
    for (const Angle &angle : molecule.angles)
        angles.push_back({start + angle.first, start + angle.middle, start + angle.last, angle.stiffness,
                          angle.cosine});
    kind.push_back(number);
}
