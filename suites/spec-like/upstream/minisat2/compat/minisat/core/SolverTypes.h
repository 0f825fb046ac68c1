/* SPDX-License-Identifier: Apache-2.0 */
/* MiniSat's own header, with the default argument of mkLit() moved out of the friend declaration, where C++11
 * does not allow it. */
#ifndef COMPAT_SOLVER_TYPES_H
#define COMPAT_SOLVER_TYPES_H

#define mkLit(first, second) mkLit(Var var, bool sign)
#include_next "minisat/core/SolverTypes.h"
#undef mkLit

namespace Minisat {

inline Lit mkLit(Var var, bool sign = false);

}

#endif
