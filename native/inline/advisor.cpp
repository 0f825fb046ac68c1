#include "advisor.h"
#include "call_graph.h"
#include "costs.h"
#include "size.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/EphemeralValuesCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>

using namespace llvm;

namespace harness {
namespace {

// The base class wants a model. It is only asked for its buffers, and those only to compare features with LLVM's.
class Buffers : public MLModelRunner {
public:
  Buffers(LLVMContext &Context, const std::vector<TensorSpec> &Specs)
      : MLModelRunner(Context, Kind::NoOp, Specs.size()) {
    for (const auto &[Index, Spec] : enumerate(Specs)) {
      setUpBufferForTensor(Index, Spec, &Values.at(Index));
    }
  }

protected:
  void *evaluateUntyped() override { llvm_unreachable("this model decides nothing"); }

private:
  std::array<int64_t, NumFeatures> Values{};
};

} // namespace

// A call site that may be inlined, with what the policy may know of it. LLVM's analysis of the cost is what takes
// time: it is done only for who asks.
class Advisor::Context final : public PolicyContext {
public:
  Context(Advisor &Asked, CallBase &CB, const Site &Where)
      : PolicyContext(Asked.FAM), Asked(Asked), CB(CB), Caller(*CB.getCaller()), Callee(*CB.getCalledFunction()),
        Before(Asked.Shared.Callees.of(Where.Callee)) {}

  // Whether it may be inlined at all. Both of LLVM's walks say the same.
  bool isLegal(bool ByParts = false) { return ByParts ? costs().has_value() : estimate().has_value(); }

  int64_t feature(FeatureIndex Index) override {
    if (Asked.Shared.UpstreamFeatures) {
      return *Asked.ModelRunner->getTensor<int64_t>(Index);
    }
    if (isCostPart(static_cast<size_t>(Index))) {
      const std::optional<InlineCostFeatures> &Parts = costs();
      return Parts ? (*Parts)[static_cast<size_t>(Index)] : 0;
    }
    switch (Index) {
    case FeatureIndex::callee_basic_block_count:
      return Asked.getCachedFPI(Callee).BasicBlockCount;
    case FeatureIndex::callsite_height:
      return Asked.getInitialFunctionLevel(Caller);
    case FeatureIndex::node_count:
      return functionsIn(Asked);
    case FeatureIndex::nr_ctant_params:
      return count_if(CB.args(), [](const Use &Argument) { return isa<Constant>(Argument); });
    case FeatureIndex::cost_estimate:
      return estimate().value_or(0);
    case FeatureIndex::edge_count:
      return callsIn(Asked);
    case FeatureIndex::caller_users:
      return Asked.getCachedFPI(Caller).Uses;
    case FeatureIndex::caller_conditionally_executed_blocks:
      return Asked.getCachedFPI(Caller).BlocksReachedFromConditionalInstruction;
    case FeatureIndex::caller_basic_block_count:
      return Asked.getCachedFPI(Caller).BasicBlockCount;
    case FeatureIndex::callee_conditionally_executed_blocks:
      return Asked.getCachedFPI(Callee).BlocksReachedFromConditionalInstruction;
    case FeatureIndex::callee_users:
      return Asked.getCachedFPI(Callee).Uses;
    case FeatureIndex::is_callee_avail_external:
      return Callee.hasAvailableExternallyLinkage();
    case FeatureIndex::is_caller_avail_external:
      return Caller.hasAvailableExternallyLinkage();
    default:
      return 0;
    }
  }

  int64_t feature(CalleeFeature Index) override {
    switch (Index) {
    case CalleeFeature::callee_calls:
      return calls().Calls;
    case CalleeFeature::callee_calls_decided:
      return Before.Decided;
    case CalleeFeature::callee_calls_inlined:
      return Before.Inlined;
    case CalleeFeature::callee_calls_legal:
      return callee().legalCalls(Callee, FAM);
    case CalleeFeature::callee_constant_args:
      return constantArguments(Callee);
    case CalleeFeature::callee_can_go:
      return calls().CanGo;
    case CalleeFeature::callee_is_last_call:
      return calls().CanGo && calls().Calls == 1;
    case CalleeFeature::callee_instructions:
      return callee().Size.instructions(Callee);
    case CalleeFeature::callee_bytes:
      return callee().Size.bytes(Callee);
    case CalleeFeature::callee_bytes_if_gone:
      return calls().CanGo ? callee().Size.bytes(Callee) + unwindBytes(Callee, callee().Size.bytes(Callee)) : 0;
    case CalleeFeature::caller_instructions:
      return caller().instructions(Caller);
    case CalleeFeature::caller_bytes:
      return caller().bytes(Caller);
    case CalleeFeature::caller_bytes_with_callee:
      return caller().bytes(Caller) + callee().Size.bytes(Callee) - callBytes(CB);
    case CalleeFeature::llvm_inlines:
      return defaultDecision();
    case CalleeFeature::llvm_inlines_without_bonus:
      return inlinesWithoutBonus();
    case CalleeFeature::Count:
      break;
    }
    llvm_unreachable("this is no feature");
  }

  int64_t feature(TrialFeature Index) override {
    return Index == TrialFeature::trial_instructions ? trialsOf(Asked.Shared).instructionsFor(Callee)
                                                     : harness::feature(Asked.tried(Callee), Index);
  }

  bool defaultDecision() override {
    if (!Default) {
      Default = Asked.defaultDecision(CB);
    }
    return *Default;
  }

private:
  const CallsNow &calls() {
    if (!Calls) {
      Calls = CallsNow::of(Callee);
    }
    return *Calls;
  }

  harness::Callee &callee() { return FAM.getResult<CalleeAnalysis>(Callee); }
  Extent &caller() { return Asked.Asking.of(Caller); }

  // What LLVM's heuristic would do if the callee did not go away with this call.
  bool inlinesWithoutBonus() {
    const InlineCost Found = Asked.cost(CB);
    if (!Found.isVariable() || Found.getStaticBonusApplied() == 0) {
      return defaultDecision();
    }
    return Found.getCost() + Found.getStaticBonusApplied() < Found.getThreshold();
  }

  AssumptionCache &assumptions(Function &F) { return FAM.getResult<AssumptionAnalysis>(F); }

  std::optional<int> estimate() {
    std::optional<std::optional<int>> &Known = answers().Estimate;
    if (!Known) {
      Known = getInliningCostEstimate(CB, FAM.getResult<TargetIRAnalysis>(Callee),
                                      [this](Function &F) -> AssumptionCache & { return assumptions(F); });
    }
    return *Known;
  }

  const std::optional<InlineCostFeatures> &costs() {
    std::optional<std::optional<InlineCostFeatures>> &Known = answers().Features;
    if (!Known) {
      Known = getInliningCostFeatures(CB, FAM.getResult<TargetIRAnalysis>(Callee),
                                      [this](Function &F) -> AssumptionCache & { return assumptions(F); });
    }
    return *Known;
  }

  CallCosts::Answers &answers() {
    if (Answers == nullptr) {
      CallCosts::Answers *Alike = Asked.Shared.ShareWalks ? answersFor(CB, FAM) : nullptr;
      Answers = Alike == nullptr ? &Own : Alike;
    }
    return *Answers;
  }

  Advisor &Asked;
  CallBase &CB;
  Function &Caller;
  Function &Callee;
  CallCosts::Answers Own;
  CallCosts::Answers *Answers = nullptr; // asked for when they are needed
  std::optional<bool> Default;
  std::optional<CallsNow> Calls;
  Tally Before;
};

Advisor::Advisor(Module &M, ModuleAnalysisManager &MAM, InlineParams Params, Session &Shared)
    : MLInlineAdvisor(
          M, MAM,
          [&M](const std::vector<TensorSpec> &Specs) { return std::make_unique<Buffers>(M.getContext(), Specs); },
          [this](CallBase &CB) { return defaultDecision(CB); }),
      Params(Params), Shared(Shared) {
  FAM.registerPass([] { return CallCostsAnalysis(); });
  FAM.registerPass([] { return CalleeAnalysis(); });
}

// The base class has asked for the loops of functions that plain clang's inliner does not look at. Those that it kept
// up to date itself list them in another order than fresh ones, and the passes that come next would take them over.
void Advisor::onPassExit(LazyCallGraph::SCC *SCC) {
  MLInlineAdvisor::onPassExit(SCC);
  Asking.forget(); // other passes follow
  if (SCC == nullptr) {
    return;
  }
  PreservedAnalyses Kept = PreservedAnalyses::all();
  Kept.abandon<DominatorTreeAnalysis>();
  Kept.abandon<LoopAnalysis>();
  for (const LazyCallGraph::Node &Member : *SCC) {
    if (!Member.getFunction().isDeclaration()) {
      FAM.invalidate(Member.getFunction(), Kept);
    }
  }
}

Advisor::~Advisor() {
  if (Shared.Followed) {
    Shared.Followed->finish();
  }
}

// What LLVM's static getDefaultInlineAdvice does.
bool Advisor::defaultDecision(CallBase &CB) {
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*CB.getCalledFunction());
  const auto Cost = [this](CallBase &Call) { return cost(Call); };
  return shouldInline(CB, TTI, Cost, getCallerORE(CB), Params.EnableDeferral.value_or(false)).has_value();
}

// Other calls are taken to be decided as others of the same function were, or else as LLVM's heuristic would.
const Trial &Advisor::tried(Function &Callee) {
  const auto Decided = [this](const Function &Other) -> std::optional<bool> {
    const Tally Before = Shared.Callees.of(Shared.Sites.names().find(Other.getName()));
    return Before.Decided > 0 ? std::optional(2 * Before.Inlined >= Before.Decided) : std::nullopt;
  };
  return trialsOf(Shared).of(Callee, {Decided, [this](CallBase &Other) { return defaultDecision(Other); }});
}

// As LLVM's heuristic takes it.
InlineCost Advisor::cost(CallBase &CB) {
  Function &Caller = *CB.getCaller();
  ProfileSummaryInfo *PSI =
      FAM.getResult<ModuleAnalysisManagerFunctionProxy>(Caller).getCachedResult<ProfileSummaryAnalysis>(M);
  const auto Assumptions = [this](Function &F) -> AssumptionCache & { return FAM.getResult<AssumptionAnalysis>(F); };
  const auto Frequencies = [this](Function &F) -> BlockFrequencyInfo & {
    return FAM.getResult<BlockFrequencyAnalysis>(F);
  };
  const auto Library = [this](Function &F) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(F);
  };
  const auto Ephemeral = [this](Function &F) -> EphemeralValuesCache & {
    return FAM.getResult<EphemeralValuesAnalysis>(F);
  };
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*CB.getCalledFunction());
  return getInlineCost(CB, Params, TTI, Assumptions, Library, Frequencies, PSI, nullptr, Ephemeral);
}

// Give the call site its identity and write the decision.
void Advisor::record(CallBase &CB, bool Inline, By Who) {
  const Site Where = next(CB);
  if (Shared.Followed) {
    const Decision &Given = Shared.Followed->next(Where, Shared.Sites.names());
    if (Given.Who != Who || Given.Inline != Inline) {
      disagree(CB);
    }
  }
  write({Where, Inline, Who});
}

Site Advisor::next(CallBase &CB) {
  return Shared.Sites.next(CB.getCaller()->getName(), CB.getCalledFunction()->getName());
}

void Advisor::write(const Decision &Decided) {
  Shared.Callees.add(Decided);
  if (Decided.Inline) {
    Asking.forget();
  }
  if (Shared.Written) {
    Shared.Written->write(Decided, Shared.Sites.names());
  }
}

void Advisor::disagree(CallBase &CB) const {
  diverge("call site " + std::to_string(Shared.Sites.length() - 1) + " of the module, a call of " +
          CB.getCalledFunction()->getName().str() + " in " + CB.getCaller()->getName().str() +
          ", is not decided as it was: by the policy, by a rule or not at all");
}

// An advice that changes nothing of what the base class keeps in mind.
std::unique_ptr<InlineAdvice> Advisor::unchanged(CallBase &CB, bool Inline) {
  return std::make_unique<InlineAdvice>(this, CB, getCallerORE(CB), Inline);
}

std::unique_ptr<InlineAdvice> Advisor::getMandatoryAdvice(CallBase &CB, bool Advice) {
  record(CB, Advice, By::Mandatory);
  return MLInlineAdvisor::getMandatoryAdvice(CB, Advice);
}

// As the base class's, without the features that nobody asks for, and with LLVM's own decision on functions that call
// themselves.
std::unique_ptr<InlineAdvice> Advisor::getAdviceImpl(CallBase &CB) {
  if (Shared.UpstreamFeatures) {
    return MLInlineAdvisor::getAdviceImpl(CB);
  }
  Function &Caller = *CB.getCaller();
  if (!FAM.getResult<DominatorTreeAnalysis>(Caller).isReachableFromEntry(CB.getParent())) {
    record(CB, false, By::Illegal);
    return unchanged(CB, false);
  }
  OptimizationRemarkEmitter &ORE = getCallerORE(CB);
  const MandatoryInliningKind Kind = getMandatoryKind(CB, FAM, ORE);
  const bool Always = Kind == MandatoryInliningKind::Always;
  if (Kind == MandatoryInliningKind::Never) {
    return getMandatoryAdvice(CB, false);
  }
  if (isForcedToStop()) {
    record(CB, Always, By::Cap);
    return unchanged(CB, Always);
  }
  if (Always) {
    return getMandatoryAdvice(CB, true);
  }
  if (&Caller == CB.getCalledFunction()) { // the base class would never inline it; plain clang may
    return getMandatoryAdvice(CB, defaultDecision(CB));
  }
  return Shared.Followed ? follow(CB, ORE) : ask(CB, ORE);
}

// The decision of the file. Features are taken only to write them, and whether it is legal matters only where it
// says to inline.
std::unique_ptr<InlineAdvice> Advisor::follow(CallBase &CB, OptimizationRemarkEmitter &ORE) {
  const Site Where = next(CB);
  const Decision &Given = Shared.Followed->next(Where, Shared.Sites.names());
  const bool Decided = Given.Who == By::Policy || Given.Who == By::Replaced;
  if ((!Decided && Given.Who != By::Illegal) || (Given.Inline && !(Decided && Context(*this, CB, Where).isLegal()))) {
    disagree(CB);
  }
  if (Shared.Features && Decided) {
    Context Here(*this, CB, Where);
    Shared.Features->write(Shared.Sites.length() - 1, Here, Given.Inline);
  }
  write({Where, Given.Inline, Given.Who});
  if (!Decided) {
    return unchanged(CB, false);
  }
  return std::make_unique<MLInlineAdvice>(this, CB, ORE, Given.Inline);
}

// The policy's decision, or LLVM's own if it has none.
std::unique_ptr<InlineAdvice> Advisor::ask(CallBase &CB, OptimizationRemarkEmitter &ORE) {
  const Site Where = next(CB);
  Context Here(*this, CB, Where);
  if (!Here.isLegal(Shared.Decider && Shared.Decider->wantsPartsOnly())) {
    write({Where, false, By::Illegal});
    return unchanged(CB, false);
  }
  const std::optional<bool> Answer =
      Shared.Guide ? Shared.Guide->find(Where, Shared.Sites.names()) : Shared.Decider->decide(CB, Here);
  const bool Inline = Answer ? *Answer : Here.defaultDecision();
  if (Shared.Features) {
    Shared.Features->write(Shared.Sites.length() - 1, Here, Inline);
  }
  write({Where, Inline, Answer ? By::Policy : By::Replaced});
  return std::make_unique<MLInlineAdvice>(this, CB, ORE, Inline);
}

// Asked by the base class, with the features that it has found: only to compare them with ours.
std::unique_ptr<MLInlineAdvice> Advisor::getAdviceFromModel(CallBase &CB, OptimizationRemarkEmitter &ORE) {
  const Site Where = next(CB);
  Context Here(*this, CB, Where);
  const bool Inline = Here.defaultDecision();
  if (Shared.Features) {
    Shared.Features->write(Shared.Sites.length() - 1, Here, Inline);
  }
  write({Where, Inline, By::Policy});
  return std::make_unique<MLInlineAdvice>(this, CB, ORE, Inline);
}

} // namespace harness
