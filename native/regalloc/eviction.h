// Greedy's eviction advisor, with the decisions taken from an `EvictionSource` or from a file.

#ifndef HARNESS_REGALLOC_EVICTION_H
#define HARNESS_REGALLOC_EVICTION_H

#include "advisor.h"
#include "evicting.h"
#include "observer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/CodeGen/RegAllocEvictionAdvisor.h"

namespace harness {

// Makes the advisor of each function: Greedy's own where nothing is decided otherwise.
class EvictionProvider final : public llvm::RegAllocEvictionAdvisorProvider {
public:
  using Maker = std::unique_ptr<EvictionSource> (*)();

  // `Make`: gives who decides where nothing is listed; null: Greedy, without being looked at. It may confine the
  // process, and is not called before LLVM's own advisor has opened its files.
  EvictionProvider(llvm::LLVMContext &Context, std::shared_ptr<Session> Shared, Maker Make);

  std::unique_ptr<llvm::RegAllocEvictionAdvisor> getAdvisor(const llvm::MachineFunction &MF,
                                                            const llvm::RAGreedy &Greedy,
                                                            llvm::MachineBlockFrequencyInfo *Frequencies,
                                                            llvm::MachineLoopInfo *Loops) override;

private:
  std::shared_ptr<Session> Shared;
  Maker Make;
  std::unique_ptr<Observer> Seen;
  std::unique_ptr<EvictionSource> Decider;
};

} // namespace harness

#endif
