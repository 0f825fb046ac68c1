// Says what allocates a function's registers: LLVM's code generation headers are included (docs/regalloc.md).

// A tunable constant: its name, int or float, least, greatest, default. `harness tune` searches good values.
// [hyperparam]: least_excess, float, 0, 100, 0

// Greedy with one of the plugin's priority functions, or another of LLVM's allocators.
Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  const double Excess =
      Context.feature(FunctionFeature::general_excess) + Context.feature(FunctionFeature::vector_excess);
  return Excess > least_excess * Context.feature(FunctionFeature::frequency) ? Allocation::Weight : Allocation::Greedy;
}
