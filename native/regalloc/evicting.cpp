#include "evicting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/LiveInterval.h"
#include <algorithm>
#include <cstring>
#include <initializer_list>

using namespace llvm;

namespace harness {
namespace {

unsigned asGreedy(const EvictionContext &Context) { return Context.defaultSlot(); }

// Nothing, where that is possible: the live range is split or spilled in the place of others.
unsigned refuse(const EvictionContext &Context) {
  return Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
}

// What costs least to spill, if that is less than the live range itself costs; of equals what is tried first.
//
// LLVM's feature, `use_def_density`, does not say it: where something that cannot be spilled is among what would be
// evicted, it is no number there and 0 everywhere else.
class Cheapest final : public EvictionSource {
public:
  std::optional<unsigned> decide(const LiveInterval &LI, EvictionContext &Context) override {
    unsigned Best = refuse(Context);
    float Least = Best == NoEviction ? LI.weight() : weightOf(Context.evicted(Best));
    for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
      const float Weight = weightOf(Context.evicted(Slot));
      if (Context.isLegal(Slot) && Weight < Least) {
        Best = Slot;
        Least = Weight;
      }
    }
    return Best;
  }

private:
  static float weightOf(ArrayRef<const LiveInterval *> Evicted) {
    float Largest = 0;
    for (const LiveInterval *One : Evicted) {
      Largest = std::max(Largest, One->weight());
    }
    return Largest;
  }
};

// A tensor fills whole words.
constexpr size_t wordsOf(size_t Bytes) { return (Bytes + sizeof(int64_t) - 1) / sizeof(int64_t); }

constexpr size_t sumOf(std::initializer_list<size_t> Parts) {
  size_t Sum = 0;
  for (const size_t Part : Parts) {
    Sum += Part;
  }
  return Sum;
}

struct EvictionQuestion {
  using Source = EvictionSource;
  using Returned = unsigned;
  using Word = uint64_t;

  static constexpr const char *Names[] = {
#define NAME(TYPE, COUNT, NAME) #NAME,
      HARNESS_EVICTION_FEATURES(NAME)
#undef NAME
  };
  static constexpr size_t Words = sumOf({
#define WORDS(TYPE, COUNT, NAME) wordsOf(sizeof EvictionFeatures::NAME),
      HARNESS_EVICTION_FEATURES(WORDS)
#undef WORDS
  });

  static void tell(const EvictionContext &Here, ArrayRef<size_t> Uses, MutableArrayRef<int64_t> Words) {
    size_t Index = 0;
    int64_t *Next = Words.data();
#define TELL(TYPE, COUNT, NAME)                                                                                        \
  if (is_contained(Uses, Index++)) {                                                                                   \
    std::memcpy(Next, Here.Features.NAME, sizeof Here.Features.NAME);                                                  \
  }                                                                                                                    \
  Next += wordsOf(sizeof Here.Features.NAME);
    HARNESS_EVICTION_FEATURES(TELL)
#undef TELL
  }

  static std::optional<unsigned> usable(uint64_t Slot, const EvictionContext &Here) {
    const bool IsLegal = Slot < NumSlots && Here.isLegal(static_cast<unsigned>(Slot));
    return IsLegal ? std::optional(static_cast<unsigned>(Slot)) : std::nullopt;
  }
};

} // namespace

std::unique_ptr<EvictionSource> knownEvictions(StringRef Name) {
  if (Name == "cheapest") {
    return std::make_unique<Cheapest>();
  }
  return knownOrNull<EvictionSource>(StringSwitch<unsigned (*)(const EvictionContext &)>(Name)
                                         .Case("default", asGreedy)
                                         .Case("refuse", refuse)
                                         .Default(nullptr));
}

std::unique_ptr<EvictionSource> heuristicEvictions(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic<EvictionQuestion>>(Library, Values);
}

std::unique_ptr<EvictionSource> channelEvictions(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote<EvictionQuestion>>(From, To, Limits);
}

} // namespace harness
