/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 1/r + k * r^2 - c: charges in a sphere with a dielectric around it (I. G. Tironi et al.,
 * Journal of Chemical Physics 102, 1995), with c such that the energy ends at 0.
 */
#include "pairforce.h"

#include <cmath>

namespace {

class ReactionField {
public:
    static constexpr bool acts = true;

    explicit ReactionField(const Cutoffs &cutoffs)
        : curvature_((cutoffs.surroundings - 1.0) / (2.0 * cutoffs.surroundings + 1.0) /
                     (cutoffs.cutoff * cutoffs.cutoff * cutoffs.cutoff)),
          constant_(1.0 / cutoffs.cutoff + curvature_ * cutoffs.cutoff * cutoffs.cutoff)
    {
    }

    Term operator()(double squared, double inverse_squared) const
    {
        const double inverse = std::sqrt(inverse_squared);

        return {inverse + curvature_ * squared - constant_, inverse * inverse_squared - 2.0 * curvature_};
    }

    Term exact(double squared) const
    {
        const double r = std::sqrt(squared);
        const double slope = -1.0 / squared + 2.0 * curvature_ * r;

        return {1.0 / r + curvature_ * squared - constant_, -slope / r};
    }

    double self() const
    {
        return -0.5 * constant_;
    }

private:
    double curvature_, constant_;
};

const Kind kind("reaction-field", PairForce<ReactionField>::make);

} // namespace
