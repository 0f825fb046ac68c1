unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  return 4000000000U;
}
