// LLVM's two walks through a callee for the cost of inlining a call, each answer kept for the calls that are alike.
//
// A walk is the dearest part of asking a policy: it looks at every instruction of the callee, and in a caller that is
// to be small it builds the callee's dominator tree and loops. Yet all that it takes from the call site are a few
// things about the arguments, and most functions are called more than once in the same manner.

#ifndef HARNESS_INLINE_COSTS_H
#define HARNESS_INLINE_COSTS_H

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/InlineModelFeatureMaps.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace harness {

// What the walks found through one function. An analysis of it: LLVM drops it when the function changes, if by inlining
// then once all calls in it are decided, before anybody asks about a call of it.
struct CallCosts {
  struct Answers {
    std::optional<std::optional<int>> Estimate;                      // outer: walked; inner: it may be inlined
    std::optional<std::optional<llvm::InlineCostFeatures>> Features; // likewise
  };
  bool Shared; // false: what the walks find may depend on more than the function and the manner of its call
  std::map<std::vector<uint64_t>, Answers> ByManner;
};

class CallCostsAnalysis : public llvm::AnalysisInfoMixin<CallCostsAnalysis> {
public:
  using Result = CallCosts;
  static CallCosts run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

private:
  friend llvm::AnalysisInfoMixin<CallCostsAnalysis>;
  static llvm::AnalysisKey Key;
};

// The answers for calls like this one. Null where there is no sharing; valid until the callee changes.
CallCosts::Answers *answersFor(llvm::CallBase &CB, llvm::FunctionAnalysisManager &FAM);

} // namespace harness

#endif
