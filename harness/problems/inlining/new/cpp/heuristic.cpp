// Decides call sites from the module itself: LLVM's analysis headers are included (docs/inlining.md).

// A tunable constant: its name, int or float, least, greatest, default. `harness tune` searches good values.
// [hyperparam]: cost_max, int, -50, 100, 5

// Whether to inline the call. Costs are in LLVM's units, five for an instruction.
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  if (CB.getCalledFunction()->hasOneUse())
    return true; // the function itself goes away
  return Context.feature(FeatureIndex::cost_estimate) <= cost_max;
}
