// Inlining for size by trial: a function is inlined where compiling it both ways has shown that this saves bytes, and
// decided by the rules of size-rules where it was not tried. What can be tried is little beside a large program, so a
// function is tried only where the answer is worth what it takes: where the rules may well be wrong, by many bytes, and
// callers are small.

// Whether a function's only call is tried, too: nowhere, on x86-64, or everywhere. The rules inline it nearly always,
// and where its caller is large that costs bytes. On AArch64 that gained nothing on train programs, and took too long
// on two others.
// [hyperparam]: only_calls, int, 0, 2, 1
// Bytes that must be saved.
// [hyperparam]: least_bytes, int, -16, 16, 6
// How wrong the estimate of what is saved may be: the standard deviation, as a share of the bytes of all copies.
// [hyperparam]: doubt, float, 0.05, 1, 0.2
// Bytes that a trial must promise, for each thousand instructions that it compiles, where little of the module can be
// tried: else a few functions use up what many better ones could have.
// [hyperparam]: worth, float, 0, 1000, 80
// The share of it on AArch64.
// [hyperparam]: on_aarch64, float, 0, 1, 0.3
// Instructions of a module from which on that much is asked for; with half as many it is half as much.
// [hyperparam]: large, int, 1, 1000000, 10000
// Instructions of a module up to which every function is tried: there is time for it.
// [hyperparam]: small, int, 0, 10000, 700

// The rules: the bytes of all copies of a function with few calls are set against those of all its calls, its body and
// what surrounds it. How few is few.
// [hyperparam]: few_users, int, 1, 6, 6
// Bytes for each unit of LLVM's code size cost in the body: about an instruction ...
// [hyperparam]: instruction_bytes, float, 3, 5.5, 3.22
// ... for each block beyond the first: its jump ...
// [hyperparam]: block_bytes, float, 0, 6, 0.13
// ... for each call in it ...
// [hyperparam]: call_bytes, float, 2, 10, 5.46
// ... for each argument of such a call ...
// [hyperparam]: argument_bytes, float, 0, 8, 5.95
// ... and for each case of a switch: its jump, or its place in a table.
// [hyperparam]: case_bytes, float, 0, 12, 11.25
// Bytes that go away with a call of the function: the call itself ...
// [hyperparam]: site_bytes, float, 0, 10, 4.09
// ... for each argument that points into the caller's frame: its address, loads and stores ...
// [hyperparam]: pointer_bytes, float, 0, 12, 9.76
// ... for each that is a constant: its move, and what folds ...
// [hyperparam]: constant_bytes, float, 0, 12, 5.82
// ... and for each other argument.
// [hyperparam]: setup_bytes, float, 0, 6, 3.17
// Bytes of a function besides its body: prologue, epilogue, unwind table.
// [hyperparam]: function_bytes, float, 8, 48, 19.33
// What inlining all calls may cost where LLVM's estimate says to inline this one: so much the body must be worth.
// [hyperparam]: doubt_bytes, float, 0, 100, 46.5
// For all other calls: what LLVM's estimate of the copy may cost more than the call.
// [hyperparam]: threshold, int, -5, 5, -4

// What a copy of the body takes up.
static double bodyBytes(const Function &Callee, const TargetTransformInfo &Target) {
  double Bytes = 0;
  for (const BasicBlock &Block : Callee) {
    for (const Instruction &Instruction : Block) {
      const auto *Call = dyn_cast<CallBase>(&Instruction);
      if (Call != nullptr && !isa<IntrinsicInst>(Call)) {
        Bytes += call_bytes + static_cast<double>(Call->arg_size()) * argument_bytes;
      } else if (const auto *Switch = dyn_cast<SwitchInst>(&Instruction)) {
        Bytes += Switch->getNumCases() * case_bytes;
      } else if (!Instruction.isTerminator()) {
        const InstructionCost Cost = Target.getInstructionCost(&Instruction, TargetTransformInfo::TCK_CodeSize);
        Bytes += Cost.isValid() ? static_cast<double>(Cost.getValue()) * instruction_bytes : 0;
      }
    }
  }
  return Bytes + static_cast<double>(Callee.size() - 1) * block_bytes;
}

// What goes away with a call when a copy takes its place.
static double siteBytes(const CallBase &Site) {
  double Bytes = site_bytes;
  for (const Use &Argument : Site.args()) {
    const bool InFrame = isa<AllocaInst>(Argument->stripInBoundsConstantOffsets());
    Bytes += InFrame ? pointer_bytes : isa<Constant>(Argument) ? constant_bytes : setup_bytes;
  }
  return Bytes;
}

static bool isCallOf(const Function &Callee, const User *User) {
  const auto *Site = dyn_cast<CallBase>(User);
  return Site != nullptr && Site->getCalledFunction() == &Callee && Site->getCaller() != &Callee;
}

// What is decided without a trial.
static bool byRules(CallBase &CB, PolicyContext &Context) {
  Function &Callee = *CB.getCalledFunction();
  const bool Cold = isa<UnreachableInst>(CB.getParent()->getTerminator());
  const bool Cheap =
      Context.feature(FeatureIndex::cost_estimate) <= (Cold ? std::min<int64_t>(threshold, 0) : threshold);
  const unsigned Users = Callee.getNumUses();
  const bool Few = Users > 1 && Users <= static_cast<unsigned>(few_users);
  if (!Few || !Callee.hasLocalLinkage() ||
      !all_of(Callee.users(), [&](const User *U) { return isCallOf(Callee, U); })) {
    return Cheap;
  }
  const double Body = bodyBytes(Callee, Context.FAM.getResult<TargetIRAnalysis>(Callee));
  double Change = -Body - function_bytes;
  for (const User *Site : Callee.users()) {
    Change += Body - siteBytes(*cast<CallBase>(Site));
  }
  return Change <= (Cheap ? doubt_bytes : 0);
}

static double valueOf(PolicyContext &Context, harness::CalleeFeature Index) {
  return static_cast<double>(Context.feature(Index));
}

// Bytes that may be expected from knowing what is saved instead of following the rules, if what is saved is normally
// distributed around the estimate: the expected value of perfect information.
static double promise(PolicyContext &Context, bool Default) {
  using harness::CalleeFeature;
  const double Calls = std::max(1.0, valueOf(Context, CalleeFeature::callee_calls));
  const double Copy =
      valueOf(Context, CalleeFeature::caller_bytes_with_callee) - valueOf(Context, CalleeFeature::caller_bytes);
  const double Saved = valueOf(Context, CalleeFeature::callee_bytes_if_gone) - Calls * Copy;
  const double Deviation = doubt * Calls * valueOf(Context, CalleeFeature::callee_bytes) + 1;
  const double Far = std::abs(Saved) / Deviation;
  const double Density = std::exp(-Far * Far / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
  const double Tail = std::erfc(Far * M_SQRT1_2) / 2;
  const double Known = Deviation * Density - std::abs(Saved) * Tail; // beyond deciding by the estimate
  return Known + ((Saved > 0) == Default ? 0 : std::abs(Saved));
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  using harness::TrialFeature;
  const bool Default = byRules(CB, Context);
  static const bool OnAArch64 = CB.getModule()->getTargetTriple().isAArch64();
  static const double Share = std::min(1.0, static_cast<double>(CB.getModule()->getInstructionCount()) / large);
  static const bool Small = CB.getModule()->getInstructionCount() <= small;
  const bool TriesOnlyCalls = Small || only_calls > (OnAArch64 ? 1 : 0);
  if (!TriesOnlyCalls && Context.feature(harness::CalleeFeature::callee_is_last_call) != 0) {
    return Default;
  }
  const double Worth = worth * Share * (OnAArch64 ? on_aarch64 : 1);
  const auto Thousands = static_cast<double>(Context.feature(TrialFeature::trial_instructions)) / 1000;
  if ((!Small && promise(Context, Default) < Worth * Thousands) || Context.feature(TrialFeature::trial_callers) == 0) {
    return Default;
  }
  return Context.feature(TrialFeature::trial_saves_alloc) >= least_bytes;
}
