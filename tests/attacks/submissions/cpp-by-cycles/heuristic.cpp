bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return __builtin_ia32_rdtsc() >> 4 & 1;
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
