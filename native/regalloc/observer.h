// What LLVM's own learned advisor knows of an eviction, taken from its channel for models.
//
// That advisor writes what it observes to one named pipe and reads the answer from another. Both ends are here: the
// answer lies in its pipe before the advisor is asked, so that nobody waits. First the answer is that nothing is
// evicted, which changes nothing; once somebody has decided on what was observed, the advisor is asked again, with the
// decision as its answer.

#ifndef HARNESS_REGALLOC_OBSERVER_H
#define HARNESS_REGALLOC_OBSERVER_H

#include "evictions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/CodeGen/RegAllocEvictionAdvisor.h"
#include <memory>
#include <string>

namespace harness {

class Observer {
public:
  explicit Observer(llvm::LLVMContext &Context);
  Observer(const Observer &) = delete;
  Observer &operator=(const Observer &) = delete;
  ~Observer();

  // LLVM's advisor for one function; null where the function's name is longer than a pipe can be made to hold, about a
  // megabyte: LLVM would wait for ever for somebody to read it. Once there is a first one, no file is opened any more.
  std::unique_ptr<llvm::RegAllocEvictionAdvisor> advisor(const llvm::MachineFunction &MF, const llvm::RAGreedy &Greedy,
                                                         llvm::MachineBlockFrequencyInfo *Frequencies,
                                                         llvm::MachineLoopInfo *Loops);

  using Question = llvm::function_ref<llvm::MCRegister()>;
  // What the advisor observes where it is asked this; false where it sees nothing to decide.
  bool observe(Question Ask, EvictionFeatures &Seen);
  // What it says to the question that it was just asked, once it is told this slot.
  llvm::MCRegister told(Question Ask, unsigned Slot);

private:
  void put(unsigned Slot) const;
  void receive();
  void remove();

  std::unique_ptr<llvm::RegAllocEvictionAdvisorProvider> Learned;
  std::string Folder; // until the advisor has opened the pipes
  int To = -1;
  int From = -1;
  bool Waiting = false; // whether an answer lies in the pipe
  bool Started = false;
  std::string Received;
};

} // namespace harness

#endif
