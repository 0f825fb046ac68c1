// Inlining for size by the rules of appendix A of the Magellan paper, written anew: three cases in which a function is
// always inlined, and for all others a budget, which the callee's weighted instructions must stay below.
//
// Where this differs from the listing:
// - Sums are signed, and a budget ends at 0. The listing subtracts unsigned numbers within `max(0, ...)`: below zero
//   that wraps to four thousand million, and everything would be inlined where least should be. With the listing's own
//   numbers no difference is below zero (25 - 20 - 5 = 0), so both decide alike; with tuned ones they would not.
// - What can never apply is left out. A call whose arguments have other types than the parameters is none of a known
//   callee to LLVM, so the rules about casts have no case: each argument that has a parameter matches. An undefined
//   argument is a constant to LLVM, and counts as one.
// - noinline, always_inline and what has no body never come here: the harness decides them for all policies alike.

// A callee of fewer instructions is inlined, whatever else is known of it.
// [hyperparam]: tiny, int, 0, 40, 10
// So is one of fewer instructions with a single use ...
// [hyperparam]: single_use, int, 10, 600, 150
// ... one of less weight that touches no memory ...
// [hyperparam]: no_memory, int, 10, 400, 150
// ... and one of less weight that only reads it.
// [hyperparam]: read_only, int, 10, 400, 75
// What all others may weigh ...
// [hyperparam]: budget, int, 0, 100, 25
// ... less, where the callee is compiled for size (at -Oz: everywhere) ...
// [hyperparam]: for_size, int, 0, 60, 20
// ... more, where it is called hot instead ...
// [hyperparam]: hot, int, 0, 200, 50
// ... more, where it has a single use ...
// [hyperparam]: last_use, int, 0, 400, 80
// ... less, where it has more blocks than these ...
// [hyperparam]: many_blocks, int, 1, 20, 5
// [hyperparam]: for_blocks, int, 0, 40, 5
// ... more for each constant argument ...
// [hyperparam]: for_constant, int, 0, 40, 10
// ... and for each that has a parameter.
// [hyperparam]: for_argument, int, 0, 30, 7
// Weight of calls, returns, branches and switches ...
// [hyperparam]: heavy, int, 1, 8, 3
// ... and of what touches memory, floating point, divisions, vectors and aggregates. All else weighs 1.
// [hyperparam]: medium, int, 1, 6, 2

static bool isHeavy(const Instruction &I) {
  return isa<CallBase, ReturnInst, BranchInst, SwitchInst, IndirectBrInst>(I);
}

static bool isMedium(const Instruction &I) {
  if (isa<LoadInst, StoreInst, AllocaInst, GetElementPtrInst, AtomicCmpXchgInst, AtomicRMWInst, FenceInst>(I)) {
    return true;
  }
  if (isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst>(I)) {
    return true;
  }
  const bool Arithmetic = isa<UnaryOperator, BinaryOperator>(I);
  return isa<FCmpInst>(I) || I.isIntDivRem() || (Arithmetic && I.getType()->isFPOrFPVectorTy());
}

static int weightOf(const Function &Callee) {
  int Weight = 0;
  for (const Instruction &I : instructions(Callee)) {
    Weight += isHeavy(I) ? heavy : isMedium(I) ? medium : 1;
  }
  return Weight;
}

static int less(int Budget, int By) { return std::max(0, Budget - By); }

static int budgetOf(const CallBase &CB, const Function &Callee) {
  int Budget = budget;
  if (Callee.hasOptSize()) {
    Budget = less(Budget, for_size);
  } else if (Callee.hasFnAttribute(Attribute::Hot)) {
    Budget += hot;
  }
  if (Callee.hasOneUse()) {
    Budget += last_use;
  }
  if (Callee.size() > static_cast<size_t>(many_blocks)) {
    Budget = less(Budget, for_blocks);
  }
  const auto Constants = count_if(CB.args(), [](const Use &Argument) { return isa<Constant>(Argument); });
  return Budget + static_cast<int>(Constants) * for_constant + static_cast<int>(Callee.arg_size()) * for_argument;
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext & /*Context*/) {
  const Function &Callee = *CB.getCalledFunction();
  const auto Count = static_cast<int>(Callee.getInstructionCount());
  if (Count < tiny || (Callee.hasOneUse() && Count < single_use)) {
    return true;
  }
  const int Weight = weightOf(Callee);
  if ((Callee.doesNotAccessMemory() && Weight < no_memory) || (Callee.onlyReadsMemory() && Weight < read_only)) {
    return true;
  }
  return Weight < budgetOf(CB, Callee);
}
