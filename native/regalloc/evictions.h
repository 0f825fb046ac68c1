// What an eviction function sees. A submission is one C++ file that defines
//
//   unsigned getEviction(const LiveInterval &LI, EvictionContext &Context);
//
// LLVM's Greedy allocator asks it about a live range that found no free register, where others can make place for it.
// It names the register that is freed by its slot, its position in the order in which registers are tried for this live
// range; or the last slot, so that nothing is evicted.

#ifndef HARNESS_REGALLOC_EVICTIONS_H
#define HARNESS_REGALLOC_EVICTIONS_H

#include "policy.h"

namespace llvm {
template <typename T> class ArrayRef;
} // namespace llvm

namespace harness {

constexpr unsigned NumSlots = 33;
constexpr unsigned NoEviction = NumSlots - 1;

// The tensors that LLVM's own learned advisor is shown, in its order: type, elements, name. (docs/regalloc.md has
// meanings.)
#define HARNESS_LLVM_EVICTION_FEATURES(M)                                                                              \
  M(int64_t, NumSlots, mask)                                                                                           \
  M(int64_t, NumSlots, is_free)                                                                                        \
  M(float, NumSlots, nr_urgent)                                                                                        \
  M(float, NumSlots, nr_broken_hints)                                                                                  \
  M(int64_t, NumSlots, is_hint)                                                                                        \
  M(int64_t, NumSlots, is_local)                                                                                       \
  M(float, NumSlots, nr_rematerializable)                                                                              \
  M(float, NumSlots, nr_defs_and_uses)                                                                                 \
  M(float, NumSlots, weighed_reads_by_max)                                                                             \
  M(float, NumSlots, weighed_writes_by_max)                                                                            \
  M(float, NumSlots, weighed_read_writes_by_max)                                                                       \
  M(float, NumSlots, weighed_indvars_by_max)                                                                           \
  M(float, NumSlots, hint_weights_by_max)                                                                              \
  M(float, NumSlots, start_bb_freq_by_max)                                                                             \
  M(float, NumSlots, end_bb_freq_by_max)                                                                               \
  M(float, NumSlots, hottest_bb_freq_by_max)                                                                           \
  M(float, NumSlots, liverange_size)                                                                                   \
  M(float, NumSlots, use_def_density)                                                                                  \
  M(int64_t, NumSlots, max_stage)                                                                                      \
  M(int64_t, NumSlots, min_stage)                                                                                      \
  M(float, 1, progress)

// And the slot that Greedy's own function names, which may always be named: `mask` is not 0 there.
#define HARNESS_EVICTION_FEATURES(M)                                                                                   \
  HARNESS_LLVM_EVICTION_FEATURES(M)                                                                                    \
  M(int64_t, 1, default_slot)

struct EvictionFeatures {
#define MEMBER(TYPE, COUNT, NAME) TYPE NAME[COUNT];
  HARNESS_EVICTION_FEATURES(MEMBER)
#undef MEMBER
};

class EvictionContext : public GreedyFunction {
public:
  // The register of a slot; 0 where there is none.
  virtual unsigned registerAt(unsigned Slot) = 0;
  // What would be evicted from the register of a slot; nothing where `mask` is 0. The array stays as it is while the
  // question is answered, whatever other slots are asked for.
  virtual llvm::ArrayRef<const llvm::LiveInterval *> evicted(unsigned Slot) = 0;
  // The slot that Greedy's own function names.
  unsigned defaultSlot() const { return static_cast<unsigned>(Features.default_slot[0]); }
  // Whether the slot may be named.
  bool isLegal(unsigned Slot) const { return Slot < NumSlots && Features.mask[Slot] != 0; }

  const EvictionFeatures &Features; // NOLINT(misc-non-private-member-variables-in-classes)

  EvictionContext(const EvictionContext &) = delete;
  EvictionContext &operator=(const EvictionContext &) = delete;

protected:
  EvictionContext(const EvictionFeatures &Features, const GreedyFunction &Of)
      : GreedyFunction(Of), Features(Features) {}
  ~EvictionContext() = default;
};

} // namespace harness

#endif
