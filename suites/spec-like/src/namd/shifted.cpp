/* SPDX-License-Identifier: Apache-2.0 */
/* 1/r * (1 - (r / cutoff)^2)^2, the shifted electrostatics of CHARMM (B. R. Brooks et al., 1983). */
#include "pairforce.h"

#include <cmath>

namespace {

class Shifted {
public:
    static constexpr bool acts = true;

    explicit Shifted(const Cutoffs &cutoffs) : part_(1.0 / (cutoffs.cutoff * cutoffs.cutoff))
    {
    }

    Term operator()(double squared, double inverse_squared) const
    {
        const double inverse = std::sqrt(inverse_squared), left = 1.0 - squared * part_;

        return {inverse * left * left, inverse * left * (left * inverse_squared + 4.0 * part_)};
    }

    Term exact(double squared) const
    {
        const double r = std::sqrt(squared), left = 1.0 - squared * part_;
        const double slope = -left * left / squared - 4.0 * part_ * left;

        return {left * left / r, -slope / r};
    }

    double self() const
    {
        return 0.0;
    }

private:
    double part_;
};

const Kind kind("shifted", PairForce<Shifted>::make);

} // namespace
