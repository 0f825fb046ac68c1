double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  return __builtin_nan("");
}
