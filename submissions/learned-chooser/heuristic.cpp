// Says what allocates a function. Grown by python -m harness.learn.allocators from what functions of train
// programs execute under each.

Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  const auto Is = [&](FunctionFeature Feature) { return Context.feature(Feature); };
  const double Frequency = std::max(Is(FunctionFeature::frequency), 1e-9);
  if (Is(FunctionFeature::general_over_calls) / Frequency <= 2.4293987955678386e-06) {
    return Allocation::Seeded0;
  }
  if (Is(FunctionFeature::calls) <= 6.5) {
    return Allocation::Constant;
  }
  if (Is(FunctionFeature::vector_ranges) <= 20.5) {
    return Allocation::Seeded0;
  }
  return Allocation::Weight;
}
