// Where allocations of functions come from.

#ifndef HARNESS_REGALLOC_CHOOSER_H
#define HARNESS_REGALLOC_CHOOSER_H

#include "../policy/channel.h"
#include "policy.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace harness {

class Chooser {
public:
  Chooser() = default;
  Chooser(const Chooser &) = delete;
  Chooser &operator=(const Chooser &) = delete;
  virtual ~Chooser() = default;
  // What allocates the function's registers; nothing when there is no usable answer.
  virtual std::optional<Allocation> choose(const llvm::MachineFunction &MF, FunctionContext &Context) = 0;
};

// As decisions call it.
llvm::StringRef nameOf(Allocation Chosen);

// `harness_heuristic` of a shared library, and a process at the other end of two descriptors: as in source.h.
std::unique_ptr<Chooser> heuristicChooser(const std::string &Library, const std::string &Values);
std::unique_ptr<Chooser> channelChooser(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
