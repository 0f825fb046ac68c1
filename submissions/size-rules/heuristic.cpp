// Inlining for size. LLVM's cost estimate counts what remains of the callee's instructions, in fives, and adds what
// was found to matter for speed; here each of these parts is weighed anew, and a function that goes away when its
// last calls are inlined is worth what it takes up.

// What the copy of a body may cost more than the call that it replaces.
// [hyperparam]: threshold, int, -20, 30, 0
// Of LLVM's penalty of 25 for each call in the callee, per cent.
// [hyperparam]: nested_call_percent, int, 0, 120, 100
// For each argument that is a constant: code that will fold away.
// [hyperparam]: constant_bonus, int, -5, 15, 0
// For each argument that points into the caller's frame: loads and stores that will go away.
// [hyperparam]: pointer_bonus, int, -5, 15, 0
// For each block of the callee beyond the first: jumps, and what cannot be merged.
// [hyperparam]: block_penalty, float, -3, 5, 0
// For each doubling of the caller's blocks: registers run out in large functions.
// [hyperparam]: caller_penalty, float, -1.5, 4, 0
// A call that leads nowhere (the block ends in `unreachable`) is cold: what its copy may cost.
// [hyperparam]: cold_threshold, int, -40, 60, 0
// A function with a single call goes away with it: 2 to this power is what its copy may cost.
// [hyperparam]: single_log2, float, 7, 16, 13.875
// A function with few calls goes away if all of them are inlined: how few is few.
// [hyperparam]: few_users, int, 1, 6, 1
// ... and what it takes up besides its body: prologue, alignment, unwind tables.
// [hyperparam]: function_cost, int, 0, 120, 0
// ... and how much of its share in all that a call is credited with, per cent.
// [hyperparam]: shared_percent, int, 0, 120, 90

static bool goesAway(const Function &Callee) { return Callee.hasLocalLinkage() && !Callee.hasAddressTaken(); }

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  const auto Feature = [&](FeatureIndex Index) { return static_cast<double>(Context.feature(Index)); };
  const Function &Callee = *CB.getCalledFunction();
  const bool Cold = isa<UnreachableInst>(CB.getParent()->getTerminator());
  const bool Local = goesAway(Callee);
  double Cost = Feature(FeatureIndex::cost_estimate);
  if (Local && Callee.hasOneUse() && !Cold) {
    const auto &Target = Context.FAM.getResult<TargetIRAnalysis>(*CB.getCalledFunction());
    return Cost + Target.getInliningLastCallToStaticBonus() <= std::exp2(single_log2); // the estimate is without it
  }
  Cost += Feature(FeatureIndex::call_penalty) * (nested_call_percent - 100) / 100.0;
  Cost -= Feature(FeatureIndex::constant_args) * constant_bonus;
  Cost -= Feature(FeatureIndex::constant_offset_ptr_args) * pointer_bonus;
  Cost += (Feature(FeatureIndex::callee_basic_block_count) - 1) * block_penalty;
  Cost += std::log2(std::max(Feature(FeatureIndex::caller_basic_block_count), 1.0)) * caller_penalty;
  const double Users = std::max(Feature(FeatureIndex::callee_users), 1.0);
  if (Local && Users <= few_users) {
    Cost -= (5.0 * Callee.getInstructionCount() + function_cost) / Users * shared_percent / 100.0;
  }
  return Cost <= (Cold ? cold_threshold : threshold);
}
