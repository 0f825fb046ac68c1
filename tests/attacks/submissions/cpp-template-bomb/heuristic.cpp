template <unsigned Depth, unsigned Path> struct Bomb {
  static constexpr unsigned Value = Bomb<Depth - 1, 2 * Path>::Value + Bomb<Depth - 1, 2 * Path + 1>::Value;
};
template <unsigned Path> struct Bomb<0, Path> {
  static constexpr unsigned Value = Path;
};
static const unsigned Sum = Bomb<30, 1>::Value;

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  if (Sum == 1)
    return true;
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
