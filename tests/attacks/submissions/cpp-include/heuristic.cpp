#include "@SECRET@"
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {

  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
