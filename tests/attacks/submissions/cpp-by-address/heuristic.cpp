bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  static int Here;
  return (reinterpret_cast<unsigned long>(&Here) >> 13 ^ reinterpret_cast<unsigned long>(&CB) >> 5) & 1;
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
