/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Molecules in a periodic box. Units: nm, ps, atomic mass units, elementary charges, and so
 * kJ/mol for energies.
 */
#ifndef NAMD_SYSTEM_H
#define NAMD_SYSTEM_H

#include "vector.h"

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct AtomType {
    std::string name;
    double mass;
    double sigma;
    double epsilon;
};

/* epsilon * 4 * ((sigma / r)^12 - (sigma / r)^6) as twelfth / r^12 - sixth / r^6. */
struct LennardJones {
    double twelfth = 0.0, sixth = 0.0;
};

LennardJones lennard_jones(double sigma, double epsilon);

/* stiffness / 2 * (r - length)^2 */
struct Bond {
    std::size_t first, second;
    double stiffness;
    double length;
};

/* stiffness / 2 * (cos(angle) - cosine)^2 */
struct Angle {
    std::size_t first, middle, last;
    double stiffness;
    double cosine;
};

/* How two atoms act on each other besides bonds and angles. */
enum class Relation : char { normal, modified, excluded };

struct Molecule {
    std::string name;
    std::vector<std::size_t> types;
    std::vector<double> charges;
    std::vector<Bond> bonds;
    std::vector<Angle> angles;
    std::vector<Relation> relations; /* size x size */

    std::size_t size() const
    {
        return types.size();
    }

    /* Relations follow from how many bonds are between two atoms. */
    void relate(int excluded, bool modify);
};

struct System {
    std::string title;
    double dielectric = 1.0;
    int excluded = 2;        /* pairs up to so many bonds apart are excluded */
    double scale14 = 1.0;    /* of pairs three bonds apart, unless they are excluded */
    Vector box;
    std::vector<AtomType> types;
    std::map<std::pair<std::size_t, std::size_t>, LennardJones> pairs; /* other than by the mixing rule */
    std::vector<Molecule> molecules;

    /* Of each atom. */
    std::vector<std::size_t> type;
    std::vector<double> charge;
    std::vector<double> mass;
    std::vector<std::size_t> place;    /* in its molecule */
    std::vector<std::size_t> instance; /* which of all placed molecules */
    std::vector<Vector> position;

    std::vector<std::size_t> kind;     /* of each placed molecule: index of molecules */
    std::vector<Bond> bonds;
    std::vector<Angle> angles;

    std::size_t size() const
    {
        return type.size();
    }

    double volume() const
    {
        return box.x * box.y * box.z;
    }

    Relation relation(std::size_t first, std::size_t second) const
    {
        if (instance[first] != instance[second])
            return Relation::normal;
        const Molecule &molecule = molecules[kind[instance[first]]];
        return molecule.relations[place[first] * molecule.size() + place[second]];
    }

    LennardJones mixed(std::size_t first, std::size_t second) const;
    Vector nearest_image(Vector difference) const;
    void add(std::size_t molecule, const std::vector<Vector> &positions);
};

/* Raises InputError, which names the file and the line. */
System read_system(std::istream &input, const std::string &name);

#endif
