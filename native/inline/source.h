// Where decisions come from: one object for each way, made from the plugin's options.

#ifndef HARNESS_INLINE_SOURCE_H
#define HARNESS_INLINE_SOURCE_H

#include "../policy/channel.h"
#include "policy.h"
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
  // Whether to inline; nothing when there is no usable answer.
  virtual std::optional<bool> decide(llvm::CallBase &CB, PolicyContext &Context) = 0;
  // Whether a call site may be inlined shows in LLVM's walk for its estimate of the cost, and in the one for the
  // cost's parts. Whether the policy wants the second and not the first, which then can be left out.
  virtual bool wantsPartsOnly() const { return false; }
};

// A source that is asked about a function's first call only, and decides for all that follow as it did then.
std::unique_ptr<Source> onceForCallee(std::unique_ptr<Source> Asked);

// LLVM's own heuristic.
std::unique_ptr<Source> defaultSource();

// `harness_heuristic` of a shared library: a submission's function. `Values`: of its hyperparameters, `NAME=VALUE,...`.
// From then on the process is confined.
std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values);

// A process at the other end of two descriptors. Whatever it does, each question has an end.
std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
