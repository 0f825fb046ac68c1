// LLVM's own inlining for size with its numbers open: LLVM's analysis of the cost decides, with a threshold, a bonus and
// penalties that can be tuned. With the defaults, which are LLVM's, this is clang -Oz.

// What the estimate must stay below (LLVM: -inline-threshold).
// [hyperparam]: threshold, int, 1, 60, 5
// What the only call of a local function is worth, since the function goes away: 10 to this power. LLVM's is 15,000.
// [hyperparam]: only_call_bonus, float, 0, 4.176091259, 4.176091259
// What a call in the callee costs besides its arguments (-inline-call-penalty) ...
// [hyperparam]: call_penalty, int, 0, 80, 25
// ... and an outermost loop of it.
// [hyperparam]: loop_penalty, int, 0, 80, 25

constexpr int LLVMCallPenalty = 25;
constexpr int LLVMLoopPenalty = 25;

// LLVM's estimate without its bonus for the only call, with this one, and with this penalty in the place of LLVM's.
static bool isCheap(CallBase &CB, const InlineParams &Params, PolicyContext &Context) {
  FunctionAnalysisManager &FAM = Context.FAM;
  const auto Assumptions = [&](Function &F) -> AssumptionCache & { return FAM.getResult<AssumptionAnalysis>(F); };
  const auto Frequencies = [&](Function &F) -> BlockFrequencyInfo & {
    return FAM.getResult<BlockFrequencyAnalysis>(F);
  };
  const auto Library = [&](Function &F) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(F);
  };
  auto &Target = FAM.getResult<TargetIRAnalysis>(*CB.getCalledFunction());
  ProfileSummaryInfo *Profile = FAM.getResult<ModuleAnalysisManagerFunctionProxy>(*CB.getCaller())
                                    .getCachedResult<ProfileSummaryAnalysis>(*CB.getModule());
  const InlineCost Found = getInlineCost(CB, Params, Target, Assumptions, Library, Frequencies, Profile);
  if (!Found.isVariable()) {
    return Found.isAlways();
  }
  int64_t Cost = Found.getCost();
  if (const int Bonus = Found.getStaticBonusApplied(); Bonus != 0) {
    Cost += Bonus - std::lround(std::pow(10, only_call_bonus));
  }
  if (call_penalty != LLVMCallPenalty) { // else the second walk through the callee is saved
    const int64_t Calls = Context.feature(FeatureIndex::call_penalty) / LLVMCallPenalty;
    Cost += (Calls - 1) * (call_penalty - LLVMCallPenalty); // less the call that goes away
  }
  if (loop_penalty != LLVMLoopPenalty) {
    const int64_t Loops = Context.feature(FeatureIndex::num_loops) / LLVMLoopPenalty;
    Cost += Loops * (loop_penalty - LLVMLoopPenalty);
  }
  return Cost < Found.getThreshold();
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  InlineParams Params = getInlineParams(/*OptLevel=*/2, /*SizeOptLevel=*/2);
  Params.DefaultThreshold = threshold;
  Params.OptMinSizeThreshold = threshold;
  Params.ComputeFullInlineCost = true; // else the walk ends where LLVM's own threshold is reached
  return isCheap(CB, Params, Context);
}
