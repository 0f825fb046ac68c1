/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bonds are springs; angles are harmonic in their cosine, as in the GROMOS96 force field, so that
 * no inverse cosine is needed. Each kind is one class, and one loop is made for each of them.
 */
#include "bonded.h"

#include <cmath>

namespace {

class BondForce {
public:
    static constexpr double Energies::*sum = &Energies::bond;

    BondForce(const System &system, const std::vector<Vector> &positions) : system_(system), positions_(positions)
    {
    }

    double operator()(const Bond &bond, std::vector<Vector> &forces, double &virial) const
    {
        const Vector away = system_.nearest_image(positions_[bond.first] - positions_[bond.second]);
        const double length = std::sqrt(square(away)), stretch = length - bond.length;
        const Vector force = away * (-bond.stiffness * stretch / length);

        forces[bond.first] += force;
        forces[bond.second] -= force;
        virial += dot(force, away);
        return 0.5 * bond.stiffness * stretch * stretch;
    }

private:
    const System &system_;
    const std::vector<Vector> &positions_;
};

/* The energy does not change when all lengths do, so that the virial gets nothing. */
class AngleForce {
public:
    static constexpr double Energies::*sum = &Energies::angle;

    AngleForce(const System &system, const std::vector<Vector> &positions) : system_(system), positions_(positions)
    {
    }

    double operator()(const Angle &angle, std::vector<Vector> &forces, double &) const
    {
        const Vector left = system_.nearest_image(positions_[angle.first] - positions_[angle.middle]);
        const Vector right = system_.nearest_image(positions_[angle.last] - positions_[angle.middle]);
        const double left_squared = square(left), right_squared = square(right);
        const double inverse = 1.0 / std::sqrt(left_squared * right_squared);
        const double cosine = dot(left, right) * inverse, off = cosine - angle.cosine;
        const double factor = -angle.stiffness * off;
        const Vector first = (right * inverse - left * (cosine / left_squared)) * factor;
        const Vector last = (left * inverse - right * (cosine / right_squared)) * factor;

        forces[angle.first] += first;
        forces[angle.last] += last;
        forces[angle.middle] -= first + last;
        return 0.5 * angle.stiffness * off * off;
    }

private:
    const System &system_;
    const std::vector<Vector> &positions_;
};

template <class Force, class Item>
void add_all(const Force &force, const std::vector<Item> &items, std::vector<Vector> &forces, Energies &sums)
{
    for (const Item &item : items)
        sums.*Force::sum += force(item, forces, sums.virial);
}

} // namespace

void add_bonded(const System &system, const std::vector<Vector> &positions, std::vector<Vector> &forces,
                Energies *sums)
{
    Energies unwanted;
    Energies &here = sums != nullptr ? *sums : unwanted;

    add_all(BondForce(system, positions), system.bonds, forces, here);
    add_all(AngleForce(system, positions), system.angles, forces, here);
}
