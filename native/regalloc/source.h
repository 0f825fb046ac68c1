// Where priorities come from.

#ifndef HARNESS_REGALLOC_SOURCE_H
#define HARNESS_REGALLOC_SOURCE_H

#include "policy.h"
#include "sources.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace harness {

// The priority of a live range.
using Source = SourceOf<llvm::LiveInterval, PriorityContext, double>;

// One of the functions that the plugin has itself; null where none is called so (functions.cpp has them).
std::unique_ptr<Source> knownSource(llvm::StringRef Name);

// A submission's function, and a process: as in sources.h.
std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values);
std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
