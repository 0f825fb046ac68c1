// Where decisions about evictions come from.

#ifndef HARNESS_REGALLOC_EVICTING_H
#define HARNESS_REGALLOC_EVICTING_H

#include "evictions.h"
#include "sources.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace harness {

// The slot that is freed for a live range: a legal one.
using EvictionSource = SourceOf<llvm::LiveInterval, EvictionContext, unsigned>;

// One of the functions that the plugin has itself; null where none is called so.
std::unique_ptr<EvictionSource> knownEvictions(llvm::StringRef Name);

// A submission's function, and a process: as in sources.h.
std::unique_ptr<EvictionSource> heuristicEvictions(const std::string &Library, const std::string &Values);
std::unique_ptr<EvictionSource> channelEvictions(int From, int To, ChannelLimits Limits);

} // namespace harness

#endif
