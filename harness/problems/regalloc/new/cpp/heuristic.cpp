// Orders live ranges from the machine code itself: LLVM's code generation headers are included (docs/regalloc.md).

// A tunable constant: its name, int or float, least, greatest, default. `harness tune` searches good values.
// [hyperparam]: calls_max, int, 0, 100, 2

// The priority of a live range, from 0 to 2^32 - 1: what has the highest is allocated first.
double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  if (LI.isSpillable() && Context.feature(RangeFeature::calls) > calls_max)
    return 0; // few registers survive calls
  return Context.defaultPriority();
}
