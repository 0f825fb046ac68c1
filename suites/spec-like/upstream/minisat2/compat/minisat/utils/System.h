/* SPDX-License-Identifier: Apache-2.0 */
/* In place of MiniSat's own: no clock and no /proc, which differ in every run. One second has always passed,
 * so that the rates "per second" of the statistics are plain counts. */
#ifndef Minisat_System_h
#define Minisat_System_h

#include <sys/resource.h>
#include <unistd.h>

#include "minisat/mtl/IntTypes.h"

namespace Minisat {

static inline double cpuTime() { return 1.0; }
static inline double memUsedPeak() { return 0.0; }

}

#endif
