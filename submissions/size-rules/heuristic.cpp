// Inlining for size, in bytes. LLVM's -Oz compares what a copy's instructions cost with what the call costs, one call
// after the other. It does not see that a function with two or three calls goes away when all of them are inlined.
// Here the bytes of all copies of such a function are set against those of all its calls, its body and what surrounds
// it, and the answer is the same for each of its calls: some copies beside a body that stays are worst of all.
// Every other call is decided by LLVM's own estimate.

// A function with few calls goes away if all of them are inlined: how few is few.
// [hyperparam]: few_users, int, 1, 6, 3
// Bytes for each unit of LLVM's code size cost in the body: about an instruction ...
// [hyperparam]: instruction_bytes, float, 3, 5.5, 4
// ... for each block beyond the first: its jump ...
// [hyperparam]: block_bytes, float, 0, 6, 2
// ... for each call in it ...
// [hyperparam]: call_bytes, float, 2, 10, 5
// ... for each argument of such a call ...
// [hyperparam]: argument_bytes, float, 0, 8, 4
// ... and for each case of a switch: its jump, or its place in a table.
// [hyperparam]: case_bytes, float, 0, 12, 6
// Bytes that go away with a call of the function: the call itself ...
// [hyperparam]: site_bytes, float, 0, 10, 5
// ... for each argument that points into the caller's frame: its address, loads and stores ...
// [hyperparam]: pointer_bytes, float, 0, 12, 6
// ... for each that is a constant: its move, and what folds ...
// [hyperparam]: constant_bytes, float, 0, 12, 6
// ... and for each other argument.
// [hyperparam]: setup_bytes, float, 0, 6, 3
// Bytes of a function besides its body: prologue, epilogue, unwind table.
// [hyperparam]: function_bytes, float, 8, 48, 24
// What inlining all calls may cost where LLVM's estimate says to inline this one: so much the body must be worth.
// [hyperparam]: doubt_bytes, float, 0, 100, 30
// For all other calls: what LLVM's estimate of the copy may cost more than the call.
// [hyperparam]: threshold, int, -5, 5, 0

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

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  Function &Callee = *CB.getCalledFunction();
  const bool Cold = isa<UnreachableInst>(CB.getParent()->getTerminator());
  const bool Cheap = Context.feature(FeatureIndex::cost_estimate) <= (Cold ? std::min<int64_t>(threshold, 0) : threshold);
  const unsigned Users = Callee.getNumUses();
  const bool Few = Users > 1 && Users <= static_cast<unsigned>(few_users);
  if (!Few || !Callee.hasLocalLinkage() || !all_of(Callee.users(), [&](const User *U) { return isCallOf(Callee, U); })) {
    return Cheap;
  }
  const double Body = bodyBytes(Callee, Context.FAM.getResult<TargetIRAnalysis>(Callee));
  double Change = -Body - function_bytes;
  for (const User *Site : Callee.users()) {
    Change += Body - siteBytes(*cast<CallBase>(Site));
  }
  return Change <= (Cheap ? doubt_bytes : 0);
}
