// Frees the register whose live ranges cost least to spill, all of them together.
//
// Greedy compares the dearest live range of each register: two that cost 3 and 3 are as good to it as one that costs 3.
// Here they cost 6. Hints come first, as they do for Greedy, and where Greedy evicts nothing, nothing is evicted.

// [hyperparam]: share, float, 0, 2, 1
// [hyperparam]: ratio, float, 0, 1, 0.8

namespace {

struct Cost {
  unsigned Hints = 0;
  double Largest = 0;
  double Sum = 0; // the largest counts once, the others by their share
};

Cost costOf(ArrayRef<const LiveInterval *> Evicted, const VirtRegMap &VRM) {
  Cost Found;
  for (const LiveInterval *One : Evicted) {
    Found.Hints += VRM.hasPreferredPhys(One->reg()) ? 1 : 0;
    Found.Largest = std::max<double>(Found.Largest, One->weight());
    Found.Sum += One->weight();
  }
  Found.Sum = Found.Largest + share * (Found.Sum - Found.Largest);
  return Found;
}

} // namespace

// The slot of the register to free for a live range, or NoEviction.
unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  const unsigned Default = Context.defaultSlot();
  if (!LI.isSpillable() || Default == NoEviction || Context.Features.is_hint[Default] != 0)
    return Default;
  unsigned Best = Default;
  Cost Least = costOf(Context.evicted(Default), Context.VRM);
  for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
    const ArrayRef<const LiveInterval *> Evicted = Context.evicted(Slot);
    const Cost One = costOf(Evicted, Context.VRM);
    // Only what costs less than the live range itself, each alone, and clearly less than what was best so far.
    if (Evicted.empty() || !(One.Largest < LI.weight()))
      continue;
    if (One.Hints < Least.Hints || (One.Hints == Least.Hints && One.Sum < ratio * Least.Sum)) {
      Best = Slot;
      Least = One;
    }
  }
  return Best;
}
