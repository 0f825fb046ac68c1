#include "evicting.h"
#include "../policy/library.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>
#include <cstring>
#include <iterator>

using namespace llvm;

namespace harness {
namespace {

constexpr auto Plugin = "regalloc";

std::optional<unsigned> legal(uint64_t Slot, const EvictionContext &Context) {
  const bool IsSlot = Slot < NumSlots && Context.isLegal(static_cast<unsigned>(Slot));
  return IsSlot ? std::optional<unsigned>(static_cast<unsigned>(Slot)) : std::nullopt;
}

class Known : public EvictionSource {
public:
  explicit Known(unsigned (*Function)(const EvictionContext &)) : Function(Function) {}

  std::optional<unsigned> decide(const LiveInterval & /*LI*/, EvictionContext &Context) override {
    return Function(Context);
  }

private:
  unsigned (*Function)(const EvictionContext &);
};

unsigned asGreedy(const EvictionContext &Context) { return Context.defaultSlot(); }

// Nothing, where that is possible: the live range is split or spilled in the place of others.
unsigned refuse(const EvictionContext &Context) {
  return Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
}

// What costs least to spill, if that is less than the live range itself costs; of equals what is tried first.
unsigned cheapest(const EvictionContext &Context) {
  unsigned Best = Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
  for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
    if (Context.isLegal(Slot) && Context.Features.use_def_density[Slot] < Context.Features.use_def_density[Best]) {
      Best = Slot;
    }
  }
  return Best;
}

class Heuristic : public EvictionSource {
public:
  Heuristic(const std::string &Library, const std::string &Values)
      : Function(reinterpret_cast<decltype(Function)>(loadHeuristic(Library, Values, Plugin))) {}

  std::optional<unsigned> decide(const LiveInterval &LI, EvictionContext &Context) override {
    return legal(Function(&LI, &Context), Context);
  }

private:
  unsigned (*Function)(const LiveInterval *, EvictionContext *);
};

constexpr const char *FeatureNames[] = {
#define NAME(TYPE, COUNT, NAME) #NAME,
    HARNESS_EVICTION_FEATURES(NAME)
#undef NAME
};

constexpr size_t wordsOf(size_t Bytes) { return (Bytes + sizeof(int64_t) - 1) / sizeof(int64_t); }

constexpr size_t WordsOfEach[] = {
#define WORDS(TYPE, COUNT, NAME) wordsOf(sizeof EvictionFeatures::NAME),
    HARNESS_EVICTION_FEATURES(WORDS)
#undef WORDS
};

constexpr size_t sumOfWords() {
  size_t Sum = 0;
  for (const size_t Words : WordsOfEach) {
    Sum += Words;
  }
  return Sum;
}

class Remote : public EvictionSource {
public:
  Remote(int From, int To, ChannelLimits Limits) : Asked(From, To, Limits, FeatureNames, Plugin) {
    for (const size_t Index : Asked.uses()) {
      Wanted[Index] = true;
    }
  }

  std::optional<unsigned> decide(const LiveInterval & /*LI*/, EvictionContext &Context) override {
    if (!Asked.isOpen()) {
      return std::nullopt;
    }
    size_t Index = 0;
    int64_t *Next = Words.data();
#define TELL(TYPE, COUNT, NAME)                                                                                        \
  if (Wanted[Index++]) {                                                                                               \
    std::memcpy(Next, Context.Features.NAME, sizeof Context.Features.NAME);                                            \
  }                                                                                                                    \
  Next += wordsOf(sizeof Context.Features.NAME);
    HARNESS_EVICTION_FEATURES(TELL)
#undef TELL
    const auto IsLegal = [&](int64_t Word) { return legal(static_cast<uint64_t>(Word), Context).has_value(); };
    const std::optional<int64_t> Answer = Asked.ask(Words, IsLegal);
    return Answer ? std::optional<unsigned>(static_cast<unsigned>(*Answer)) : std::nullopt;
  }

private:
  Channel Asked;
  std::array<bool, std::size(FeatureNames)> Wanted{};
  std::array<int64_t, sumOfWords()> Words{}; // of a question: each tensor fills whole words
};

} // namespace

std::unique_ptr<EvictionSource> knownEvictions(StringRef Name) {
  const auto Function = StringSwitch<unsigned (*)(const EvictionContext &)>(Name)
                            .Case("default", asGreedy)
                            .Case("refuse", refuse)
                            .Case("cheapest", cheapest)
                            .Default(nullptr);
  return Function == nullptr ? nullptr : std::make_unique<Known>(Function);
}

std::unique_ptr<EvictionSource> heuristicEvictions(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic>(Library, Values);
}

std::unique_ptr<EvictionSource> channelEvictions(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote>(From, To, Limits);
}

} // namespace harness
