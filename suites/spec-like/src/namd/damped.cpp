/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erfc(a * r) / r, the part of Ewald's sum in real space, with a line taken off so that energy and
 * force end at 0 (C. J. Fennell and J. D. Gezelter, Journal of Chemical Physics 124, 2006). From a
 * table, as this takes longer to calculate than all the rest.
 */
#include "pairforce.h"
#include "special.h"
#include "table.h"

#include <cmath>

namespace {

constexpr double nearest = 1.0 / 1024.0; /* squared distance where the table begins, nm^2 */

class Damped {
public:
    static constexpr bool acts = true;

    explicit Damped(const Cutoffs &cutoffs)
        : damping_(cutoffs.damping), end_(cutoffs.cutoff), last_(whole(end_)),
          table_(nearest, end_ * end_, [this](double squared) {
              const double r = std::sqrt(squared);
              const RadialTable::Sample sample = ending(r);

              return RadialTable::Sample{sample.value, sample.slope / (2.0 * r)};
          })
    {
    }

    Term operator()(double squared, double) const
    {
        const RadialTable::Sample sample = table_(squared);

        return {sample.value, -2.0 * sample.slope};
    }

    Term exact(double squared) const
    {
        const double r = std::sqrt(squared);
        const RadialTable::Sample sample = ending(r);

        return {sample.value, -sample.slope / r};
    }

    /* Half of what is missing from 1/r where r goes to 0. */
    double self() const
    {
        return -damping_ / root_of_pi - 0.5 * (last_.value - last_.slope * end_);
    }

private:
    /* erfc(a * r) / r and its derivative by r. */
    RadialTable::Sample whole(double r) const
    {
        const double x = damping_ * r, energy = complementary_error(x) / r;

        return {energy, -(energy + 2.0 / root_of_pi * damping_ * exponential(-x * x)) / r};
    }

    /* The same without the line. */
    RadialTable::Sample ending(double r) const
    {
        const RadialTable::Sample sample = whole(r);

        return {sample.value - last_.value - last_.slope * (r - end_), sample.slope - last_.slope};
    }

    double damping_, end_;
    RadialTable::Sample last_;
    RadialTable table_;
};

const Kind kind("damped", PairForce<Damped>::make);

} // namespace
