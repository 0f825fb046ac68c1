// What LLVM's features of a call do not say: what becomes of the callee. Whether inlining a function pays depends on
// all of its calls, since it goes away with the last of them.

#ifndef HARNESS_INLINE_CALLEES_H
#define HARNESS_INLINE_CALLEES_H

#include "policy.h"
#include "sites.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace harness {

// What was decided so far about the calls of one function.
struct Tally {
  int64_t Decided = 0;
  int64_t Inlined = 0;
};

class Tallies {
public:
  void add(const Decision &Decided);
  Tally of(unsigned Callee) const { return Callee < Known.size() ? Known[Callee] : Tally{}; }

private:
  std::vector<Tally> Known;
};

// The calls of one function as they are now.
struct CallsNow {
  int64_t Calls = 0;
  bool CanGo = false; // the function is local, and used by nothing but these calls

  static CallsNow of(const llvm::Function &Callee);
};

// Arguments of all direct calls of a function that are constants.
int64_t constantArguments(const llvm::Function &Callee);

// How large a function is. What is asked for is found once.
class Extent {
public:
  int64_t bytes(const llvm::Function &Of); // of its code, as the model of size estimates them
  int64_t instructions(const llvm::Function &Of);

private:
  std::optional<int64_t> Bytes;
  std::optional<int64_t> Instructions;
};

// What is known of a function that is called. An analysis of it, and so it is dropped as `CallCosts` is.
class Callee {
public:
  // Of its direct calls, those that no attribute forbids to inline, and that are not in it itself.
  int64_t legalCalls(llvm::Function &Of, llvm::FunctionAnalysisManager &FAM);

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes)
  Extent Size;

private:
  // By the attributes of caller and call, which LLVM keeps once each: what else matters is the function's own.
  llvm::DenseMap<std::pair<void *, void *>, bool> Legal;
};

class CalleeAnalysis : public llvm::AnalysisInfoMixin<CalleeAnalysis> {
public:
  using Result = Callee;
  static Callee run(llvm::Function & /*F*/, llvm::FunctionAnalysisManager & /*FAM*/) { return {}; }

private:
  friend llvm::AnalysisInfoMixin<CalleeAnalysis>;
  static llvm::AnalysisKey Key;
};

// How large the caller is in which calls are asked about: it stays so until one of them is inlined.
class CallerExtent {
public:
  Extent &of(const llvm::Function &Caller) {
    if (Of != &Caller) {
      Of = &Caller;
      Size = {};
    }
    return Size;
  }
  void forget() { Of = nullptr; }

private:
  const llvm::Function *Of = nullptr;
  Extent Size;
};

} // namespace harness

#endif
