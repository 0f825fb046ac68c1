// Where allocations of functions come from.

#ifndef HARNESS_REGALLOC_CHOOSER_H
#define HARNESS_REGALLOC_CHOOSER_H

#include "policy.h"
#include "sources.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace harness {

// What allocates a function's registers.
using Chooser = SourceOf<llvm::MachineFunction, FunctionContext, Allocation>;

// As decisions call it.
llvm::StringRef nameOf(Allocation Chosen);

// A submission's function, and a process: as in sources.h.
std::unique_ptr<Chooser> heuristicChooser(const std::string &Library, const std::string &Values);
std::unique_ptr<Chooser> channelChooser(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
