// Says what allocates a function. Grown by python -m harness.learn.allocators from what functions of train
// programs execute under each.

Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  const auto Is = [&](FunctionFeature Feature) { return Context.feature(Feature); };
  const double Frequency = std::max(Is(FunctionFeature::frequency), 1e-9);
  if (Is(FunctionFeature::general_excess) / Frequency <= 8.28103971443345) {
    if (Is(FunctionFeature::general_excess) <= 11424.44775390625) {
      return Allocation::Size;
    }
    return Allocation::Weight;
  }
  if (Is(FunctionFeature::vector_pressure) <= 18.5) {
    return Allocation::Seeded0;
  }
  return Allocation::Weight;
}
