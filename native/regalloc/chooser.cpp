#include "chooser.h"
#include "../policy/library.h"
#include "llvm/ADT/bit.h"
#include <array>

using namespace llvm;

namespace harness {
namespace {

constexpr auto Plugin = "regalloc";

constexpr std::array<const char *, NumFunctionFeatures> FeatureNames = {
#define NAME(NAME) #NAME,
    HARNESS_FUNCTION_FEATURES(NAME)
#undef NAME
};

constexpr std::array<const char *, NumAllocations> Names = {
#define NAME(NAME, WORD) WORD,
    HARNESS_ALLOCATIONS(NAME)
#undef NAME
};

bool isAllocation(int64_t Number) { return Number >= 0 && Number < static_cast<int64_t>(NumAllocations); }

bool isCount(FunctionFeature Feature) {
  switch (Feature) {
  case FunctionFeature::frequency:
  case FunctionFeature::call_frequency:
  case FunctionFeature::accesses:
  case FunctionFeature::copies:
  case FunctionFeature::general_excess:
  case FunctionFeature::general_over_calls:
  case FunctionFeature::vector_excess:
  case FunctionFeature::vector_over_calls:
    return false;
  default:
    return true;
  }
}

// Counts are int64, what frequencies are in is float32: each is one word.
int64_t word(FunctionFeature Feature, double Value) {
  return isCount(Feature) ? static_cast<int64_t>(Value)
                          : static_cast<int64_t>(bit_cast<uint32_t>(static_cast<float>(Value)));
}

class Heuristic : public Chooser {
public:
  Heuristic(const std::string &Library, const std::string &Values)
      : Function(reinterpret_cast<decltype(Function)>(loadHeuristic(Library, Values, Plugin))) {}

  std::optional<Allocation> choose(const MachineFunction &MF, FunctionContext &Context) override {
    const int64_t Answer = Function(&MF, &Context);
    return isAllocation(Answer) ? std::optional(static_cast<Allocation>(Answer)) : std::nullopt;
  }

private:
  int64_t (*Function)(const MachineFunction *, FunctionContext *);
};

class Remote : public Chooser {
public:
  Remote(int From, int To, ChannelLimits Limits) : Asked(From, To, Limits, FeatureNames, Plugin) {}

  std::optional<Allocation> choose(const MachineFunction & /*MF*/, FunctionContext &Context) override {
    if (!Asked.isOpen()) {
      return std::nullopt;
    }
    for (const size_t Index : Asked.uses()) {
      const auto Feature = static_cast<FunctionFeature>(Index);
      Features[Index] = word(Feature, Context.feature(Feature));
    }
    const std::optional<int64_t> Answer = Asked.ask(Features, isAllocation);
    return Answer ? std::optional(static_cast<Allocation>(*Answer)) : std::nullopt;
  }

private:
  Channel Asked;
  std::array<int64_t, NumFunctionFeatures> Features{};
};

} // namespace

StringRef nameOf(Allocation Chosen) { return Names[static_cast<size_t>(Chosen)]; }

std::unique_ptr<Chooser> heuristicChooser(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic>(Library, Values);
}

std::unique_ptr<Chooser> channelChooser(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote>(From, To, Limits);
}

} // namespace harness
