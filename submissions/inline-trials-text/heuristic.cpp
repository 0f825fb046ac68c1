// Inlining for size.text by trial: a function is inlined where compiling it both ways has shown that this saves bytes
// of code, and decided as LLVM decides it where it was not tried.

// Whether a function's only call is tried, too. LLVM nearly always inlines it and is nearly always right, while its
// caller may be large: trials of other functions save more for as much compilation.
// [hyperparam]: only_calls, int, 0, 1, 0
// Bytes that must be saved.
// [hyperparam]: least_bytes, int, -16, 16, 1

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  using harness::CalleeFeature;
  using harness::TrialFeature;
  const bool Only = Context.feature(CalleeFeature::callee_is_last_call) != 0;
  if ((Only && only_calls == 0) || Context.feature(TrialFeature::trial_callers) == 0) {
    return Context.defaultDecision();
  }
  return Context.feature(TrialFeature::trial_saves_text) >= least_bytes;
}
