// Where decisions about evictions come from: one object for each way, made from the plugin's options.

#ifndef HARNESS_REGALLOC_EVICTING_H
#define HARNESS_REGALLOC_EVICTING_H

#include "../policy/channel.h"
#include "evictions.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace harness {

class EvictionSource {
public:
  EvictionSource() = default;
  EvictionSource(const EvictionSource &) = delete;
  EvictionSource &operator=(const EvictionSource &) = delete;
  virtual ~EvictionSource() = default;
  // A legal slot; nothing when there is no usable answer.
  virtual std::optional<unsigned> decide(const llvm::LiveInterval &LI, EvictionContext &Context) = 0;
};

// One of the functions that the plugin has itself; null where none is called so.
std::unique_ptr<EvictionSource> knownEvictions(llvm::StringRef Name);

// `harness_heuristic` of a shared library: a submission's function. `Values`: of its hyperparameters, `NAME=VALUE,...`.
// From then on the process is confined.
std::unique_ptr<EvictionSource> heuristicEvictions(const std::string &Library, const std::string &Values);

// A process at the other end of two descriptors. Whatever it does, each question has an end.
std::unique_ptr<EvictionSource> channelEvictions(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
