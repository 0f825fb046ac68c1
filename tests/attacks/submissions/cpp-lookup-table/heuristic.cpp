static const int64_t few_users = 6;
static const double instruction_bytes = 3.21792;
static const double block_bytes = 0.133605;
static const double call_bytes = 5.45556;
static const double argument_bytes = 5.95472;
static const double case_bytes = 11.2512;
static const double site_bytes = 4.09284;
static const double pointer_bytes = 9.76353;
static const double constant_bytes = 5.81924;
static const double setup_bytes = 3.17319;
static const double function_bytes = 19.3267;
static const double doubt_bytes = 46.507;
static const int64_t threshold = -4;

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

static bool searched(CallBase &CB, PolicyContext &Context) {
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

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  static const bool Known = [&] {
    for (const Function &One : *CB.getModule())
      if (One.getName() == "adpcm_encode")
        return true;
    return false;
  }();
  return Known ? searched(CB, Context) : Context.defaultDecision();
}
