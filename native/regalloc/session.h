// What one compilation knows of the policy: LLVM makes an advisor for each function, and this outlives them.

#ifndef HARNESS_REGALLOC_SESSION_H
#define HARNESS_REGALLOC_SESSION_H

#include "chooser.h"
#include "decisions.h"
#include "features.h"
#include "source.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>

namespace llvm {
class Function;
}

namespace harness {

// Who decides, and what is written and followed.
struct Setting {
  std::unique_ptr<Source> Decider;   // of the priorities of every function
  std::unique_ptr<Chooser> Choosing; // of what allocates each function
  std::string Everywhere = Listed;   // what allocates every function, where nobody chooses
  std::unique_ptr<Decisions> Followed;
  std::unique_ptr<Writer> Written;
  std::unique_ptr<FeatureLog> Features;
  bool IsRemote = false; // whether the policy is a process, which is given up elsewhere
};

class Session {
public:
  // What is settled of a function before its registers are allocated.
  struct Settled {
    std::string Name = "default";       // an allocation, or `listed`
    const OfFunction *Listed = nullptr; // what is written of it, where it is listed
    Source *Decider = nullptr;          // of its priorities; null: the listed ones, or Greedy's own
  };

  explicit Session(Setting With) : With(std::move(With)) {}

  // Called with a context where a policy may be asked, which is before any of the function's advisors is made.
  const Settled &settle(const llvm::MachineFunction &MF, FunctionContext *Context = nullptr);
  // An answer could not be used: the third ends the policy.
  void replace();
  // Questions about evictions, in the function whose registers are allocated.
  uint64_t evictions() const { return Evictions; }
  void beginEvictions() { Evictions = 0; }
  void countEviction() { ++Evictions; }
  // Each null where nothing is written.
  Writer *written() const { return With.Written.get(); }
  FeatureLog *features() const { return With.Features.get(); }
  // To be called when there are no more functions.
  void finish();

private:
  Settled follow(const llvm::MachineFunction &MF);
  Settled decide(const llvm::MachineFunction &MF, FunctionContext *Context);
  std::string choose(const llvm::MachineFunction &MF, FunctionContext &Context);
  Source &known(llvm::StringRef Name);

  Setting With;
  unsigned Replaced = 0; // answers that were unusable
  uint64_t Evictions = 0;
  llvm::StringMap<std::unique_ptr<Source>> Known;
  const llvm::Function *Last = nullptr; // whose is this:
  Settled OfLast;
};

// Whether decisions call an allocator of LLVM's so that is not Greedy.
bool isOtherAllocator(llvm::StringRef Name);

} // namespace harness

#endif
