// A live range that Greedy puts into its queue, and what can be said of it.

#ifndef HARNESS_REGALLOC_RANGE_H
#define HARNESS_REGALLOC_RANGE_H

#include "policy.h"
#include "llvm/CodeGen/LiveInterval.h"
#include "llvm/CodeGen/RegAllocPriorityAdvisor.h"
#include <array>
#include <memory>
#include <optional>

namespace harness {

// What is said of the live ranges of one function, beside Greedy's own advisor.
class Ranges : public llvm::RegAllocPriorityAdvisor {
public:
  Ranges(const llvm::MachineFunction &MF, const llvm::RAGreedy &Greedy, llvm::SlotIndexes &Indexes);

protected:
  class Context;

  uint32_t defaultPriority(const llvm::LiveInterval &LI) const;

private:
  double feature(const llvm::LiveInterval &LI, RangeFeature Feature, uint32_t Default) const;
  int64_t stage(const llvm::LiveInterval &LI, uint32_t Default) const;
  int64_t calls(const llvm::LiveInterval &LI) const;

  const llvm::MachineFunction &MF;
  std::unique_ptr<llvm::RegAllocPriorityAdvisor> Default;
  llvm::SlotIndex First; // of the first instruction
  mutable llvm::VNInfo::Allocator Values;
};

class Ranges::Context final : public PriorityContext {
public:
  Context(const Ranges &Of, const llvm::LiveInterval &LI);
  double feature(RangeFeature Feature) override;
  uint32_t defaultPriority() override;

private:
  const Ranges &Of;
  const llvm::LiveInterval &LI;
  std::array<std::optional<double>, NumRangeFeatures> Known;
  std::optional<uint32_t> Default;
};

} // namespace harness

#endif
