unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  for (unsigned Slot = 0; Slot <= NoEviction; ++Slot)
    if (!Context.isLegal(Slot))
      return Slot;
  return Context.defaultSlot();
}
