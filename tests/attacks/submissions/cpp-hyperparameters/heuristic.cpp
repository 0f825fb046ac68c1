// [hyperparam]: x"; system("id"); int y, int, nan, 1e999, 0x7fffffffffffffffffffffff

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
