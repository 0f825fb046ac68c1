// Frees registers by what is in them: LLVM's code generation headers are included (docs/regalloc.md).

// A tunable constant: its name, int or float, least, greatest, default. `harness tune` searches good values.
// [hyperparam]: margin, float, 0, 1, 0.5

// The slot of the register to free for a live range, or NoEviction.
unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  const unsigned Slot = Context.defaultSlot();
  for (const LiveInterval *One : Context.evicted(Slot))
    if (LI.isSpillable() && One->weight() > margin * LI.weight() && Context.isLegal(NoEviction))
      return NoEviction; // not worth it
  return Slot;
}
