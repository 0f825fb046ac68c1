unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  auto *Mask = const_cast<int64_t *>(reinterpret_cast<const int64_t *>(&Context.Features.mask[0]));
  unsigned Forbidden = NoEviction;
  for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
    if (!Context.isLegal(Slot))
      Forbidden = Slot;
    Mask[Slot] = 1;
  }
  return Forbidden;
}
