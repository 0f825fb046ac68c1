// What inlining a function saves, found out by compiling both ways: the whole module, where all functions can be tried
// so, or else each caller in a module of its own, and the function itself if it goes away.

#ifndef HARNESS_INLINE_TRIAL_H
#define HARNESS_INLINE_TRIAL_H

#include "../module/line.h"
#include "policy.h"
#include "rest.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StableHashing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace harness {

// What came of trying a function.
struct Trial {
  CodeBytes Saved;
  int64_t Callers = 0; // in which it was tried; 0: it was not
};

int64_t feature(const Trial &Of, TrialFeature Index);

// Tries functions of one module, as long as that is not too much to compile.
class Trials {
public:
  // What becomes of other calls.
  struct Others {
    llvm::function_ref<std::optional<bool>(const llvm::Function &)> Decided; // by what was decided so far
    llvm::function_ref<bool(llvm::CallBase &)> Default;                      // by LLVM's heuristic
  };

  // `Share`: instructions that may be compiled, as a multiple of the module's. `Whole`: whether functions may be tried
  // in the whole module.
  explicit Trials(double Share, bool Whole = false) : Share(Share), Whole(Whole) {}

  // What is saved if all calls of the function are inlined, by what it and its callers were when it was first asked.
  const Trial &of(llvm::Function &Callee, Others Rest);

  // About what trying the function compiles, as it and its callers were when this was first asked; 0: it cannot be
  // tried.
  int64_t instructionsFor(const llvm::Function &Callee);

private:
  // A caller, and calls in it that would be inlined.
  struct Plan {
    // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
    llvm::Function &Caller;
    llvm::SmallVector<llvm::CallBase *, 8> Inlined;
    llvm::stable_hash Hash;   // of all that its code depends on
    int64_t Instructions = 0; // to compile
    // NOLINTEND(misc-non-private-member-variables-in-classes)

    Plan(llvm::Function &Caller, const llvm::Function &Callee, bool Inline, Others Rest);
  };

  Trial tried(llvm::Function &Callee, Others Rest);
  Trial triedInModule(llvm::Function &Callee, int64_t Callers, Others Rest);
  void foresee(llvm::Module &M, Others Rest);
  void look(const llvm::Module &M);
  bool isAffordable(int64_t Instructions) const;
  Compiler *compiler(const llvm::Module &M);
  std::optional<CodeBytes> bytesOf(const Plan &Of, const llvm::Function &Callee);
  std::optional<CodeBytes> compiled(const Plan &Of, const llvm::Function &Callee);

  double Share;
  bool Whole;
  bool Looked = false; // what follows is known
  int64_t Left = 0;    // instructions
  int64_t Most = 0;    // of them, for one function
  std::unique_ptr<Compiler> With;
  llvm::StringMap<Trial> Came;
  llvm::StringMap<int64_t> Efforts;
  llvm::DenseMap<llvm::stable_hash, std::optional<CodeBytes>> Known;
  llvm::StringMap<bool> Fates; // of functions: whether their calls are inlined
  llvm::DenseMap<llvm::stable_hash, CodeBytes> Outcomes;
};

} // namespace harness

#endif
