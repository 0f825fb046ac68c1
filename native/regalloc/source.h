// Where priorities come from: one object for each way, made from the plugin's options.

#ifndef HARNESS_REGALLOC_SOURCE_H
#define HARNESS_REGALLOC_SOURCE_H

#include "../policy/channel.h"
#include "policy.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace harness {

class Source {
public:
  Source() = default;
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;
  virtual ~Source() = default;
  // The priority of a live range; nothing when there is no usable answer.
  virtual std::optional<double> decide(const llvm::LiveInterval &LI, PriorityContext &Context) = 0;
};

// One of the functions that the plugin has itself; null where none is called so (functions.cpp has them).
std::unique_ptr<Source> knownSource(llvm::StringRef Name);

// `harness_heuristic` of a shared library: a submission's function. `Values`: of its hyperparameters, `NAME=VALUE,...`.
// From then on the process is confined.
std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values);

// A process at the other end of two descriptors. Whatever it does, each question has an end.
std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
