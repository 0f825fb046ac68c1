// Greedy's priority advisor, with the priorities taken from a `Source` or from a file.

#ifndef HARNESS_REGALLOC_ADVISOR_H
#define HARNESS_REGALLOC_ADVISOR_H

#include "range.h"
#include "session.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/Register.h"

namespace harness {

class Advisor final : public Ranges {
public:
  Advisor(const llvm::MachineFunction &MF, const llvm::RAGreedy &Greedy, llvm::SlotIndexes &Indexes, Session &Shared);
  ~Advisor() override;
  unsigned getPriority(const llvm::LiveInterval &LI) const override;

private:
  uint32_t ask(const llvm::LiveInterval &LI) const;
  uint32_t follow(const llvm::LiveInterval &LI) const;
  void writeOutcomes() const;

  Session &Shared;
  Session::Settled Settled;
  std::string Name;
  mutable uint64_t Step = 0;
  mutable size_t Position = 0;
  mutable llvm::SmallSetVector<llvm::Register, 16> Asked; // about these, where features are written
};

} // namespace harness

#endif
