// Greedy's priority advisor, with the priorities taken from a `Source` or from a file.

#ifndef HARNESS_REGALLOC_ADVISOR_H
#define HARNESS_REGALLOC_ADVISOR_H

#include "decisions.h"
#include "range.h"
#include "source.h"
#include "llvm/ADT/StringMap.h"

namespace harness {

// What outlives an advisor: Greedy makes one for each function.
struct Session {
  std::unique_ptr<Source> Decider; // null: `Followed` decides
  std::string Function = Listed;   // the name of a decider that the plugin has
  std::unique_ptr<Decisions> Followed;
  std::unique_ptr<Writer> Written;
  bool IsRemote = false;  // whether it is a process, which is given up elsewhere
  unsigned Replaced = 0;  // answers that were unusable
  uint64_t Evictions = 0; // questions about them, in the function whose registers are allocated
  llvm::StringMap<std::unique_ptr<Source>> Known;
};

// To be called when there are no more functions.
void finish(Session &Shared);

// An answer could not be used: the third ends a policy that is in this process.
void countUnusable(Session &Shared);

class Advisor final : public Ranges {
public:
  Advisor(const llvm::MachineFunction &MF, const llvm::RAGreedy &Greedy, llvm::SlotIndexes &Indexes, Session &Shared);
  ~Advisor() override;
  unsigned getPriority(const llvm::LiveInterval &LI) const override;

private:
  uint32_t ask(const llvm::LiveInterval &LI) const;
  uint32_t follow(const llvm::LiveInterval &LI) const;

  Session &Shared;
  const OfFunction *Followed = nullptr; // what is written of this function
  Source *Decider = nullptr;            // null: the listed priorities, or Greedy's own
  std::string Name;
  mutable uint64_t Step = 0;
  mutable size_t Position = 0;
};

} // namespace harness

#endif
