// Inlining for size by trial: a function is inlined where compiling the program both ways has shown that this saves bytes
// of what is loaded, and decided as LLVM decides it where it cannot be tried.

// Bytes that must be saved.
// [hyperparam]: least_bytes, int, -16, 16, 6

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  using harness::TrialFeature;
  if (Context.feature(TrialFeature::trial_callers) == 0) {
    return Context.defaultDecision();
  }
  return Context.feature(TrialFeature::trial_saves_alloc) >= least_bytes;
}
