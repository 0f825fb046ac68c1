// Inlining for size.text by trial: a function is inlined where compiling it both ways has shown that this saves bytes
// of code, and decided as LLVM decides it where it was not tried. What can be tried is little beside a large program,
// so a function is tried only where the answer is worth what it takes: where LLVM may well be wrong, by many bytes, and
// callers are small.

// Whether a function's only call is tried, too: nowhere, on x86-64, or everywhere. LLVM inlines it nearly always, and
// where its caller is large that costs bytes. On AArch64 that lost bytes on train programs.
// [hyperparam]: only_calls, int, 0, 2, 1
// Bytes that must be saved.
// [hyperparam]: least_bytes, int, -16, 16, 1
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

static double valueOf(PolicyContext &Context, harness::CalleeFeature Index) {
  return static_cast<double>(Context.feature(Index));
}

// Bytes that may be expected from knowing what is saved instead of following LLVM, if what is saved is normally
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
  const bool Default = Context.defaultDecision();
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
  return Context.feature(TrialFeature::trial_saves_text) >= least_bytes;
}
