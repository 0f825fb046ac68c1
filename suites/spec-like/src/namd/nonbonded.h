/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between atoms that no bond or angle joins, and the kinds of them that there are. */
#ifndef NAMD_NONBONDED_H
#define NAMD_NONBONDED_H

#include "patches.h"

#include <memory>
#include <string>

/* kJ mol^-1 nm e^-2 */
constexpr double coulomb_constant = 138.93545764;

struct Energies {
    double bond = 0.0, angle = 0.0, dispersion = 0.0, charge = 0.0, kinetic = 0.0;
    double virial = 0.0; /* sum of r * f over all pairs */

    double potential() const
    {
        return bond + angle + dispersion + charge;
    }

    double total() const
    {
        return potential() + kinetic;
    }
};

struct Cutoffs {
    double switching;    /* from here on the Lennard-Jones energy is switched off */
    double cutoff;       /* here everything ends */
    double damping;      /* of damped charges, 1/nm */
    double surroundings; /* dielectric constant beyond the cutoff, for the reaction field */
};

/* An energy of a pair, and its force divided by the distance: -dE/dr / r. */
struct Term {
    double energy;
    double force;
};

class Nonbonded {
public:
    Nonbonded() = default;
    Nonbonded(const Nonbonded &) = delete;
    Nonbonded &operator=(const Nonbonded &) = delete;
    virtual ~Nonbonded() = default;

    /* Add the forces to those of the patches, and, where sums are asked for, the energies. */
    virtual void add(Patches &patches, Energies *sums) const = 0;

    /* The term of two charges of 1, calculated and not looked up. */
    virtual Term exact(double squared_distance) const = 0;

    /* The Lennard-Jones term, switching included. */
    virtual Term dispersion(std::size_t first, std::size_t second, double squared_distance) const = 0;
};

/* A kind has a name, and makes a Nonbonded; each is defined beside its arithmetic. */
class Kind {
public:
    using Maker = std::unique_ptr<Nonbonded> (*)(const System &system, const Cutoffs &cutoffs);

    Kind(const char *name, Maker maker);

    /* Raises InputError when there is no such kind. */
    static std::unique_ptr<Nonbonded> make(const std::string &name, const System &system, const Cutoffs &cutoffs);
};

#endif
