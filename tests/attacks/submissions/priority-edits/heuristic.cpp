double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  const_cast<LiveInterval &>(LI).setWeight(0);
  return Context.defaultPriority();
}
