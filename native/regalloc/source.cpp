#include "source.h"
#include "../policy/library.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cmath>
#include <cstring>

using namespace llvm;

namespace harness {
namespace {

constexpr auto Plugin = "regalloc";

constexpr std::array<const char *, NumRangeFeatures> FeatureNames = {
#define NAME(NAME) #NAME,
    HARNESS_RANGE_FEATURES(NAME)
#undef NAME
};

class Heuristic : public Source {
public:
  Heuristic(const std::string &Library, const std::string &Values)
      : Function(reinterpret_cast<decltype(Function)>(loadHeuristic(Library, Values, Plugin))) {}

  std::optional<double> decide(const LiveInterval &LI, PriorityContext &Context) override {
    const double Answer = Function(&LI, &Context);
    return std::isfinite(Answer) ? std::optional<double>(Answer) : std::nullopt;
  }

private:
  double (*Function)(const LiveInterval *, PriorityContext *);
};

// `weight` is a float32, all others are int64: each is one word.
int64_t word(RangeFeature Feature, double Value) {
  if (Feature == RangeFeature::weight) {
    return static_cast<int64_t>(bit_cast<uint32_t>(static_cast<float>(Value)));
  }
  return static_cast<int64_t>(Value);
}

class Remote : public Source {
public:
  Remote(int From, int To, ChannelLimits Limits) : Asked(From, To, Limits, FeatureNames, Plugin) {}

  std::optional<double> decide(const LiveInterval & /*LI*/, PriorityContext &Context) override {
    if (!Asked.isOpen()) {
      return std::nullopt;
    }
    for (const size_t Index : Asked.uses()) {
      const auto Feature = static_cast<RangeFeature>(Index);
      Features[Index] = word(Feature, Context.feature(Feature));
    }
    const auto IsFinite = [](int64_t Word) { return std::isfinite(bit_cast<double>(Word)); };
    const std::optional<int64_t> Answer = Asked.ask(Features, IsFinite);
    return Answer ? std::optional<double>(bit_cast<double>(*Answer)) : std::nullopt;
  }

private:
  Channel Asked;
  std::array<int64_t, NumRangeFeatures> Features{};
};

} // namespace

std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic>(Library, Values);
}

std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote>(From, To, Limits);
}

} // namespace harness
