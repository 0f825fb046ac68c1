// What LLVM's features of a call do not say: what becomes of the callee. Whether inlining a function pays depends on
// all of its calls, since it goes away with the last of them.

#ifndef HARNESS_INLINE_CALLEES_H
#define HARNESS_INLINE_CALLEES_H

#include "policy.h"
#include "sites.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/InstrTypes.h"
#include <cstdint>
#include <optional>
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
  int64_t Legal = 0;     // those that no attribute forbids to inline
  int64_t Constants = 0; // arguments of all of them that are constants
  bool CanGo = false;    // the function is local, and used by nothing but these calls

  static CallsNow of(llvm::Function &Callee, llvm::FunctionAnalysisManager &FAM);
};

} // namespace harness

#endif
