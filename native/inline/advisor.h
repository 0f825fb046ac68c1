// The one advisor of all inlining policies: LLVM's MLInlineAdvisor, with its bookkeeping, its growth cap and its
// features, and the decision taken from a `Source` or from a file.

#ifndef HARNESS_INLINE_ADVISOR_H
#define HARNESS_INLINE_ADVISOR_H

#include "callees.h"
#include "feature_log.h"
#include "sites.h"
#include "source.h"
#include "trial.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/MLInlineAdvisor.h"
#include "llvm/Support/ErrorHandling.h"
#include <memory>
#include <optional>

namespace harness {

// What outlives an advisor: LLVM makes one for each run of the inliner.
struct Session {
  std::unique_ptr<Source> Decider; // null: `Followed` or `Guide` decides
  std::unique_ptr<Replay> Followed;
  std::unique_ptr<Table> Guide;
  std::unique_ptr<Log> Written;
  std::unique_ptr<FeatureLog> Features;
  bool UpstreamFeatures = false; // take the features from LLVM's own getAdviceImpl, to compare
  bool ShareWalks = true;        // false: a walk for each question, to compare
  Series Sites;
  Tallies Callees;
  std::optional<Trials> Tried; // none for a policy that may not try
};

// Ends the compiler where the policy may not try.
inline Trials &trialsOf(Session &Of) {
  if (!Of.Tried) {
    llvm::report_fatal_error("inline plugin: only a policy of class search gets what trials find",
                             /*gen_crash_diag=*/false);
  }
  return *Of.Tried;
}

class Advisor : public llvm::MLInlineAdvisor {
public:
  Advisor(llvm::Module &M, llvm::ModuleAnalysisManager &MAM, llvm::InlineParams Params, Session &Shared);
  ~Advisor() override;
  void onPassExit(llvm::LazyCallGraph::SCC *SCC) override;

protected:
  std::unique_ptr<llvm::InlineAdvice> getAdviceImpl(llvm::CallBase &CB) override;
  std::unique_ptr<llvm::InlineAdvice> getMandatoryAdvice(llvm::CallBase &CB, bool Advice) override;
  std::unique_ptr<llvm::MLInlineAdvice> getAdviceFromModel(llvm::CallBase &CB,
                                                           llvm::OptimizationRemarkEmitter &ORE) override;

private:
  class Context;

  llvm::InlineParams Params;
  Session &Shared;
  CallerExtent Asking;

  Site next(llvm::CallBase &CB);
  void record(llvm::CallBase &CB, bool Inline, By Who);
  void write(const Decision &Decided);
  [[noreturn]] void disagree(llvm::CallBase &CB) const;
  std::unique_ptr<llvm::InlineAdvice> unchanged(llvm::CallBase &CB, bool Inline);
  std::unique_ptr<llvm::InlineAdvice> ask(llvm::CallBase &CB, llvm::OptimizationRemarkEmitter &ORE);
  std::unique_ptr<llvm::InlineAdvice> follow(llvm::CallBase &CB, llvm::OptimizationRemarkEmitter &ORE);
  bool defaultDecision(llvm::CallBase &CB);
  llvm::InlineCost cost(llvm::CallBase &CB);
  const Trial &tried(llvm::Function &Callee);
};

} // namespace harness

#endif
