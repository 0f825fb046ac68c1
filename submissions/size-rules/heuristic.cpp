// Inlining for size. LLVM's cost estimate counts instructions of the callee that remain, in fives, and adds what was
// found to matter for speed; here each of these parts is weighed anew.

// What a call that stays costs: below it the body is smaller than the call.
// [hyperparam]: threshold, int, -60, 60, 0
// Of LLVM's penalty of 25 for each call in the callee, per cent.
// [hyperparam]: nested_call_percent, int, 0, 150, 100
// For each argument that is a constant: code that will fold away.
// [hyperparam]: constant_bonus, int, -10, 30, 0
// For each block beyond the first: jumps, and what cannot be merged.
// [hyperparam]: block_penalty, float, -5, 10, 0
// For each loop of the callee.
// [hyperparam]: loop_penalty, int, -20, 60, 0
// For each doubling of the caller's blocks: registers run out in large functions.
// [hyperparam]: caller_penalty, float, -3, 8, 0
// A function with a single call goes away with it. Up to this many instructions it is inlined.
// [hyperparam]: single_most, int, 0, 3000, 3000
// ... unless its caller has more blocks than this.
// [hyperparam]: single_caller_most, int, 1, 2000, 2000
// A function with few calls goes away if all of them are inlined: its share of what its body costs once.
// [hyperparam]: shared_percent, int, 0, 100, 0
// How few is few.
// [hyperparam]: few_users, int, 1, 6, 2

static bool goesAway(const Function &Callee) { return Callee.hasLocalLinkage() && !Callee.hasAddressTaken(); }

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  const Function &Callee = *CB.getCalledFunction();
  const int64_t CallerBlocks = Context.feature(FeatureIndex::caller_basic_block_count);
  if (goesAway(Callee) && Callee.hasOneUse()) {
    return static_cast<int>(Callee.getInstructionCount()) <= single_most && CallerBlocks <= single_caller_most;
  }
  double Cost = static_cast<double>(Context.feature(FeatureIndex::cost_estimate));
  Cost += static_cast<double>(Context.feature(FeatureIndex::call_penalty)) * (nested_call_percent - 100) / 100.0;
  Cost -= static_cast<double>(Context.feature(FeatureIndex::constant_args)) * constant_bonus;
  Cost += static_cast<double>(Context.feature(FeatureIndex::callee_basic_block_count) - 1) * block_penalty;
  Cost += static_cast<double>(Context.feature(FeatureIndex::num_loops)) * loop_penalty;
  Cost += std::log2(static_cast<double>(std::max<int64_t>(CallerBlocks, 1))) * caller_penalty;
  const int64_t Users = std::max<int64_t>(Context.feature(FeatureIndex::callee_users), 1);
  if (goesAway(Callee) && Users <= few_users) {
    Cost -= 5.0 * Callee.getInstructionCount() / static_cast<double>(Users) * shared_percent / 100.0;
  }
  return Cost <= threshold;
}
