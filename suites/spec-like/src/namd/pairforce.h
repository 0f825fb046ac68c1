/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair forces, specialised for a kind of electrostatics, for normal and for modified pairs, and
 * for whether energies are wanted. The Lennard-Jones energy is switched off as in CHARMM
 * (B. R. Brooks et al., Journal of Computational Chemistry 4, 1983).
 *
 * A kind of electrostatics is a class with
 *   static constexpr bool acts              are there charges at all?
 *   Charge(const Cutoffs &)
 *   Term operator()(double squared, double inverse_squared) const   for the inner loop
 *   Term exact(double squared) const                                the same, calculated
 *   double self() const                     energy of a charge of 1 with itself
 */
#ifndef NAMD_PAIRFORCE_H
#define NAMD_PAIRFORCE_H

#include "nonbonded.h"

#include <vector>

class Switching {
public:
    explicit Switching(const Cutoffs &cutoffs)
        : begin_(cutoffs.switching * cutoffs.switching), end_(cutoffs.cutoff * cutoffs.cutoff),
          scale_(1.0 / ((end_ - begin_) * (end_ - begin_) * (end_ - begin_)))
    {
    }

    double end() const
    {
        return end_;
    }

    /* The term of a pair below the cutoff. */
    Term operator()(const LennardJones &pair, double squared, double inverse_squared) const
    {
        const double inverse_sixth = inverse_squared * inverse_squared * inverse_squared;
        const double repulsion = pair.twelfth * inverse_sixth * inverse_sixth;
        const double attraction = pair.sixth * inverse_sixth;
        Term term{repulsion - attraction, (12.0 * repulsion - 6.0 * attraction) * inverse_squared};

        if (squared > begin_) {
            const double left = end_ - squared;
            const double factor = scale_ * left * left * (end_ + 2.0 * squared - 3.0 * begin_);
            const double slope = 6.0 * scale_ * left * (begin_ - squared);

            term.force = term.force * factor - 2.0 * term.energy * slope;
            term.energy *= factor;
        }
        return term;
    }

private:
    double begin_, end_, scale_;
};

template <class Charge> class PairForce final : public Nonbonded {
public:
    PairForce(const System &system, const Cutoffs &cutoffs)
        : charge_(cutoffs), switching_(cutoffs), types_(system.types.size()),
          coulomb_(coulomb_constant / system.dielectric), scale14_(system.scale14)
    {
        for (std::size_t i = 0; i < types_; i++)
            for (std::size_t j = 0; j < types_; j++)
                mixed_.push_back(system.mixed(i, j));
        if constexpr (Charge::acts)
            for (double charge : system.charge)
                self_ += charge_.self() * coulomb_ * charge * charge;
    }

    static std::unique_ptr<Nonbonded> make(const System &system, const Cutoffs &cutoffs)
    {
        return std::make_unique<PairForce>(system, cutoffs);
    }

    void add(Patches &patches, Energies *sums) const override
    {
        for (const PatchPair &pair : patches.pairs) {
            Patch &first = patches.patches[pair.first], &second = patches.patches[pair.second];

            if (sums != nullptr) {
                add_pairs<false, true>(first, second, pair.offset, pair.normal, *sums);
                add_pairs<true, true>(first, second, pair.offset, pair.modified, *sums);
            } else {
                Energies none;

                add_pairs<false, false>(first, second, pair.offset, pair.normal, none);
                add_pairs<true, false>(first, second, pair.offset, pair.modified, none);
            }
        }
        if (sums != nullptr)
            sums->charge += self_;
    }

    Term exact(double squared) const override
    {
        if constexpr (Charge::acts) {
            const Term term = charge_.exact(squared);

            return {coulomb_ * term.energy, coulomb_ * term.force};
        } else {
            return {0.0, 0.0};
        }
    }

    Term dispersion(std::size_t first, std::size_t second, double squared) const override
    {
        return switching_(mixed_[first * types_ + second], squared, 1.0 / squared);
    }

private:
    template <bool modified, bool energies>
    void add_pairs(Patch &first, Patch &second, const Vector &offset, const Partners &partners, Energies &sums) const
    {
        const double end = switching_.end();
        const double scale = modified ? scale14_ : 1.0;
        double dispersion = 0.0, charge = 0.0, virial = 0.0;

        if (partners.partner.empty())
            return;
        for (std::size_t i = 0; i < first.sites.size(); i++) {
            const Site &site = first.sites[i];
            const Vector place = site.position - offset;
            const LennardJones *row = &mixed_[site.type * types_];
            const double strength = scale * coulomb_ * site.charge;
            Vector pull;

            for (std::uint32_t k = partners.start[i]; k < partners.start[i + 1]; k++) {
                const Site &other = second.sites[partners.partner[k]];
                const Vector away = place - other.position;
                const double squared = square(away);

                if (squared >= end)
                    continue;
                const double inverse_squared = 1.0 / squared;
                Term sum = switching_(row[other.type], squared, inverse_squared);

                if constexpr (modified) {
                    sum.energy *= scale;
                    sum.force *= scale;
                }
                if constexpr (energies)
                    dispersion += sum.energy;
                if constexpr (Charge::acts) {
                    const Term term = charge_(squared, inverse_squared);
                    const double product = strength * other.charge;

                    sum.force += product * term.force;
                    if constexpr (energies)
                        charge += product * term.energy;
                }
                if constexpr (energies)
                    virial += sum.force * squared;
                const Vector force = away * sum.force;

                pull += force;
                second.forces[partners.partner[k]] -= force;
            }
            first.forces[i] += pull;
        }
        sums.dispersion += dispersion;
        sums.charge += charge;
        sums.virial += virial;
    }

    Charge charge_;
    Switching switching_;
    std::size_t types_;
    double coulomb_;
    double scale14_;
    double self_ = 0.0;
    std::vector<LennardJones> mixed_;
};

#endif
