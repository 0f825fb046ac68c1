/* SPDX-License-Identifier: Apache-2.0 */
/* No electrostatics: Lennard-Jones forces alone. */
#include "pairforce.h"

namespace {

struct Neutral {
    static constexpr bool acts = false;

    explicit Neutral(const Cutoffs &)
    {
    }
};

const Kind kind("none", PairForce<Neutral>::make);

} // namespace
