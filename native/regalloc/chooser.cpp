#include "chooser.h"

using namespace llvm;

namespace harness {
namespace {

struct FunctionQuestion {
  using Source = Chooser;
  using Returned = int64_t;
  using Word = int64_t;

  static constexpr size_t Words = NumFunctionFeatures;
  static constexpr std::array<const char *, Words> Names = {
#define NAME(TYPE, NAME) #NAME,
      HARNESS_FUNCTION_FEATURES(NAME)
#undef NAME
  };
  static constexpr std::array<WordOf, Words> As = {
#define AS(TYPE, NAME) word<TYPE>,
      HARNESS_FUNCTION_FEATURES(AS)
#undef AS
  };

  static void tell(FunctionContext &Here, ArrayRef<size_t> Uses, MutableArrayRef<int64_t> Words) {
    tellNumbers<FunctionFeature>(Here, Uses, As, Words);
  }

  static std::optional<Allocation> usable(int64_t Number, const FunctionContext & /*Here*/) {
    const bool IsAllocation = Number >= 0 && Number < static_cast<int64_t>(NumAllocations);
    return IsAllocation ? std::optional(static_cast<Allocation>(Number)) : std::nullopt;
  }
};

} // namespace

StringRef nameOf(Allocation Chosen) {
  static constexpr std::array<const char *, NumAllocations> Names = {
#define NAME(NAME, WORD) WORD,
      HARNESS_ALLOCATIONS(NAME)
#undef NAME
  };
  return Names[static_cast<size_t>(Chosen)];
}

std::unique_ptr<Chooser> heuristicChooser(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic<FunctionQuestion>>(Library, Values);
}

std::unique_ptr<Chooser> channelChooser(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote<FunctionQuestion>>(From, To, Limits);
}

} // namespace harness
