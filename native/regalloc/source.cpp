#include "source.h"
#include <cmath>

using namespace llvm;

namespace harness {
namespace {

struct PriorityQuestion {
  using Source = harness::Source;
  using Returned = double;
  using Word = double;

  static constexpr size_t Words = NumRangeFeatures;
  static constexpr std::array<const char *, Words> Names = {
#define NAME(TYPE, NAME) #NAME,
      HARNESS_RANGE_FEATURES(NAME)
#undef NAME
  };
  static constexpr std::array<WordOf, Words> As = {
#define AS(TYPE, NAME) word<TYPE>,
      HARNESS_RANGE_FEATURES(AS)
#undef AS
  };

  static void tell(PriorityContext &Here, ArrayRef<size_t> Uses, MutableArrayRef<int64_t> Words) {
    tellNumbers<RangeFeature>(Here, Uses, As, Words);
  }

  static std::optional<double> usable(double Priority, const PriorityContext & /*Here*/) {
    return std::isfinite(Priority) ? std::optional(Priority) : std::nullopt;
  }
};

} // namespace

std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic<PriorityQuestion>>(Library, Values);
}

std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote<PriorityQuestion>>(From, To, Limits);
}

} // namespace harness
