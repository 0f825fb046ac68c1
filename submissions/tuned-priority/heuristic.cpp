// Allocates first what costs most to spill: a linear function of what is known of a live range, around its spill
// weight.

// [hyperparam]: by_size, float, -2, 2, 0
// [hyperparam]: by_uses, float, -2, 2, 0
// [hyperparam]: by_calls, float, -2, 2, 0
// [hyperparam]: by_local, float, -8, 8, 0
// [hyperparam]: by_split, float, -8, 8, 0
// [hyperparam]: by_hint, float, -8, 8, 0
// [hyperparam]: by_wait, float, -8, 8, 0
// [hyperparam]: by_begin, float, -8, 8, 0
// [hyperparam]: by_greedy, float, 0, 16, 0

double logarithm(double Value) { return std::log2(1 + Value); }

double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  const double Top = 4294967295.0, Bound = 128;
  const auto Is = [&](RangeFeature Feature) { return Context.feature(Feature); };
  const double Weight = Is(RangeFeature::weight);
  if (!std::isfinite(Weight))
    return Top; // it cannot be spilled
  double Sum = logarithm(Weight * 1e6);
  Sum += by_size * logarithm(Is(RangeFeature::li_size));
  Sum += by_uses * logarithm(Is(RangeFeature::operands));
  Sum += by_calls * logarithm(Is(RangeFeature::calls));
  Sum += by_local * Is(RangeFeature::is_local);
  Sum += by_split * Is(RangeFeature::is_split);
  Sum += by_hint * Is(RangeFeature::has_hint);
  Sum += by_wait * (Is(RangeFeature::stage) == 2 ? 1 : 0);
  Sum += by_begin * Is(RangeFeature::begin) / (1 + Is(RangeFeature::function_size));
  Sum += by_greedy * Context.defaultPriority() / Top;
  return (Sum + Bound) * (Top / (2 * Bound));
}
