// A submission's C++ in the compiler's own process.

#ifndef HARNESS_POLICY_LIBRARY_H
#define HARNESS_POLICY_LIBRARY_H

#include <string>

namespace harness {

// Loads a submission's library, sets its hyperparameters, `NAME=VALUE,...`, and gives its `harness_heuristic`. Nobody
// else loads it, and not before the process is confined: its constructors run then. From then on the process stays
// confined. Ends the compiler, as this plugin, where any of it fails.
void *loadHeuristic(const std::string &Library, const std::string &Values, const char *Plugin);

} // namespace harness

#endif
