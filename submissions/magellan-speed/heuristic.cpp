// Inlining for speed by the rules of appendix B of the Magellan paper, written anew: what the callee costs, in
// instructions, against a budget that grows with what inlining may be worth at this call site. The defaults are the
// values that the paper's tuner found.
//
// What can never apply here is left out: where a function calls itself, LLVM decides, for all policies alike, so the
// paper's penalty of 22 on recursion has no case; noinline, always_inline and what has no body never come here.

// What a callee may cost ...
// [hyperparam]: budget, int, 10, 400, 200
// ... more for each constant argument ...
// [hyperparam]: for_constant, int, 0, 150, 68
// ... for each loop around the call, up to three ...
// [hyperparam]: for_loop, int, 0, 100, 12
// ... and if the callee has vector instructions.
// [hyperparam]: for_vectors, int, 0, 200, 97
// A call is hot if it runs more often than once in two to the power of these calls of the caller ...
// [hyperparam]: hot_shift, int, 0, 15, 3
// ... and so much more it may cost.
// [hyperparam]: hot_times, int, 1, 15, 10
// In callers of more instructions than these ...
// [hyperparam]: large_caller, int, 1000, 15000, 9207
// ... it may cost so many per cent less.
// [hyperparam]: large_caller_less, int, 0, 90, 21
// What a call in the callee costs, twice if its target is unknown. All else costs 1, or nothing.
// [hyperparam]: call_cost, int, 1, 50, 13

static bool isFree(const Instruction &I) { return isa<AllocaInst, PHINode, BitCastInst, PtrToIntInst, IntToPtrInst>(I); }

static int costOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (Call == nullptr) {
    return 1;
  }
  return Call->isIndirectCall() ? 2 * call_cost : call_cost;
}

static bool isHot(const CallBase &CB, BlockFrequencyInfo &Frequencies) {
  const uint64_t Entry = Frequencies.getEntryFreq().getFrequency();
  return Entry > 0 && Frequencies.getBlockFreq(CB.getParent()).getFrequency() > Entry >> hot_shift;
}

static bool isLarge(const Function &Caller) {
  int Size = 0;
  return any_of(Caller, [&](const BasicBlock &Block) {
    Size += static_cast<int>(Block.size());
    return Size > large_caller;
  });
}

// A function that LLVM knows by its name and has code of its own for.
static bool isKnown(const Function &Callee, const TargetLibraryInfo &Library) {
  LibFunc Known;
  return Library.getLibFunc(Callee, Known) && Library.hasOptimizedCodeGen(Known);
}

// What a callee may cost here, as far as it is known.
struct Site {
  int Constants;
  bool Large;
  bool Vectors;
  unsigned Depth;
  bool Hot;
};

static int budgetOf(const Site &Known) {
  int Budget = budget + Known.Constants * for_constant + static_cast<int>(std::min(Known.Depth, 3U)) * for_loop;
  Budget += Known.Vectors ? for_vectors : 0;
  Budget *= Known.Hot ? hot_times : 1;
  return Known.Large ? Budget * (100 - large_caller_less) / 100 : Budget;
}

// Loops and frequencies of a caller that grows are costly to ask for, and so is a walk through all of a large callee. No
// part of the budget makes it smaller, so they matter only between the least that it can be and the most.
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  Function &Caller = *CB.getCaller();
  Function &Callee = *CB.getCalledFunction();
  if (isKnown(Callee, Context.FAM.getResult<TargetLibraryAnalysis>(Callee))) {
    return true;
  }
  const auto Constants = count_if(CB.args(), [](const Use &Argument) { return isa<Constant>(Argument); });
  Site Here{static_cast<int>(Constants), isLarge(Caller), true, 3, true};
  const int Most = budgetOf(Here);
  int Cost = 0;
  bool Vectors = false;
  for (const Instruction &I : instructions(Callee)) {
    if (!isFree(I)) {
      Cost += costOf(I);
      Vectors |= I.getType()->isVectorTy();
    }
    if (Cost >= Most) {
      return false;
    }
  }
  Here = {Here.Constants, Here.Large, Vectors, 0, false};
  if (Cost < budgetOf(Here)) {
    return true;
  }
  Here.Depth = Context.FAM.getResult<LoopAnalysis>(Caller).getLoopDepth(CB.getParent());
  Here.Hot = isHot(CB, Context.FAM.getResult<BlockFrequencyAnalysis>(Caller));
  return Cost < budgetOf(Here);
}
