// What a policy would see, written while somebody decides: functions, questions about priorities and evictions, what
// came of them.
//
// Text, a line each, features in the order of policy.h:
//
//   f NAME DIGEST ALLOCATION FEATURE...   what follows is of this function; its features before registers are
//   allocated.
//                                         DIGEST and ALLOCATION are as in decisions.h
//   q STEP REGISTER PRIORITY FEATURE...   a question about a priority, and what was given: STEP counts from 0 on
//   e STEP REGISTER SLOT DEFAULT PROGRESS a question about an eviction, the slot that was named, and Greedy's own: STEP
//                                         counts these questions
//   s SLOT FEATURE...                     a slot that could be named; features as evictions.h has them by slot
//   r REGISTER OUTCOME                    what became of a live range that was asked about, once all are allocated:
//                                         `assigned`, `spilled` or `split`
//   end                                   nothing follows
//
// All numbers but the digest are decimal. Greedy's own priority is among the features.

#ifndef HARNESS_REGALLOC_FEATURES_H
#define HARNESS_REGALLOC_FEATURES_H

#include "../policy/log.h"
#include "evictions.h"
#include "policy.h"
#include <string>

namespace harness {

enum class Outcome : uint8_t { Assigned, Spilled, Split };

class FeatureLog {
public:
  explicit FeatureLog(const std::string &Path) : File(Path, "regalloc") {}
  void write(const llvm::MachineFunction &MF, llvm::StringRef Allocation, FunctionContext &Context);
  void write(uint64_t Step, uint32_t Register, uint32_t Priority, PriorityContext &Context);
  void write(uint64_t Step, uint32_t Register, unsigned Slot, const EvictionFeatures &Features);
  void write(uint32_t Register, Outcome Of);
  void finish();

private:
  LogFile File;
};

} // namespace harness

#endif
