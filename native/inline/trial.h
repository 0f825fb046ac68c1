// What inlining a function saves, found out by compiling: each caller in a module of its own, with calls of the
// function inlined and not, and the function itself if it goes away.

#ifndef HARNESS_INLINE_TRIAL_H
#define HARNESS_INLINE_TRIAL_H

#include "../module/line.h"
#include "policy.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StableHashing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace harness {

// Bytes of a function's object, without what every object has.
struct TrialBytes {
  int64_t Allocated = 0; // as of the metric size.alloc
  int64_t Executed = 0;  // as of size.text
};

// What came of trying a function.
struct Trial {
  TrialBytes Saved;
  int64_t Callers = 0; // in which it was tried; 0: it was not
};

int64_t feature(const Trial &Of, TrialFeature Index);

// Tries functions of one module, as long as that is not too much to compile.
class Trials {
public:
  // Whether another call would be inlined.
  using Decision = llvm::function_ref<bool(llvm::CallBase &)>;

  // `Share`: instructions that may be compiled, as a multiple of the module's; 0: any number. `MostCallers`: in which
  // one function is tried.
  explicit Trials(double Share = DefaultShare, size_t MostCallers = DefaultCallers)
      : Share(Share), MostCallers(MostCallers) {}

  // What is saved if all calls of the function are inlined, by what it and its callers were when it was first asked.
  const Trial &of(llvm::Function &Callee, Decision Decides);

  // About what trying the function compiles, as it and its callers were when this was first asked; 0: it cannot be
  // tried.
  int64_t instructionsFor(const llvm::Function &Callee);

  // With it, trials take up to half as long again as optimising the module does; a zero-shot policy may take twice as
  // long.
  static constexpr double DefaultShare = 1.2;
  static constexpr size_t DefaultCallers = 4;

private:
  // A caller, and calls in it that would be inlined.
  struct Plan {
    // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
    llvm::Function &Caller;
    llvm::SmallVector<llvm::CallBase *, 8> Inlined;
    llvm::stable_hash Hash;   // of all that its code depends on
    int64_t Instructions = 0; // to compile
    // NOLINTEND(misc-non-private-member-variables-in-classes)

    Plan(llvm::Function &Caller, const llvm::Function &Callee, bool Inline, Decision Decides);
  };

  Trial tried(llvm::Function &Callee, Decision Decides);
  bool isAffordable(int64_t Instructions, const llvm::Module &In);
  std::optional<TrialBytes> bytesOf(const Plan &Of, const llvm::Function &Callee);
  std::optional<TrialBytes> compiled(const Plan &Of, const llvm::Function &Callee);

  double Share;
  size_t MostCallers;
  std::optional<int64_t> Left; // instructions
  int64_t Most = 0;            // of them, for one function
  std::unique_ptr<Compiler> With;
  llvm::StringMap<Trial> Came;
  llvm::StringMap<int64_t> Efforts;
  llvm::DenseMap<llvm::stable_hash, std::optional<TrialBytes>> Known;
};

} // namespace harness

#endif
