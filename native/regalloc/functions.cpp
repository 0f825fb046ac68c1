// Priority functions that the plugin has itself. A decision may name one in the place of the priorities that it gives.

#include "source.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>
#include <cmath>

using namespace llvm;

namespace harness {
namespace {

constexpr double Top = 4294967295.0;

double asGreedy(PriorityContext &Context) { return Context.defaultPriority(); }

// In the order of the virtual registers' numbers.
double constant(PriorityContext & /*Context*/) { return 0; }

double logarithm(double Value) { return std::log2(1 + Value); }

// What costs most to spill first.
double weight(PriorityContext &Context) {
  const double Weight = Context.feature(RangeFeature::weight);
  return std::isfinite(Weight) ? logarithm(Weight * 1e6) * (Top / 256) : Top;
}

double size(PriorityContext &Context) { return Context.feature(RangeFeature::li_size); }

double small(PriorityContext &Context) { return Top - Context.feature(RangeFeature::li_size); }

// A linear function of what is known of a live range, with weights by chance: the same for the same seed.
class Seeded : public Source {
public:
  explicit Seeded(uint64_t Seed) {
    uint64_t State = (Seed + 1) * 0x9e3779b97f4a7c15ULL;
    for (double &Weight : Weights) { // splitmix64
      State += 0x9e3779b97f4a7c15ULL;
      uint64_t Mixed = (State ^ (State >> 30)) * 0xbf58476d1ce4e5b9ULL;
      Mixed = (Mixed ^ (Mixed >> 27)) * 0x94d049bb133111ebULL;
      Weight = static_cast<double>((Mixed ^ (Mixed >> 31)) >> 11) / 4503599627370496.0 - 1.0;
    }
  }

  std::optional<double> decide(const LiveInterval & /*LI*/, PriorityContext &Context) override {
    const auto Is = [&](RangeFeature Feature) { return Context.feature(Feature); };
    const double Weight = Is(RangeFeature::weight);
    const double Length = 1 + Is(RangeFeature::function_size);
    const std::array<double, Terms> Values = {
        logarithm(Is(RangeFeature::li_size)) / 4, std::isfinite(Weight) ? logarithm(Weight * 1e6) / 8 : 4,
        Is(RangeFeature::is_local) * 2,           Is(RangeFeature::is_split) * 2,
        Is(RangeFeature::stage) == 2 ? 4.0 : 0.0, Is(RangeFeature::has_hint) * 2,
        logarithm(Is(RangeFeature::operands)),    logarithm(Is(RangeFeature::calls)),
        logarithm(Is(RangeFeature::segments)),    4 * Is(RangeFeature::begin) / Length,
        4 * Is(RangeFeature::end) / Length,
    };
    double Sum = 0;
    for (size_t Index = 0; Index < Terms; ++Index) {
      Sum += Weights[Index] * Values[Index];
    }
    return (Sum + Bound) * (Top / (2 * Bound));
  }

private:
  static constexpr size_t Terms = 11;
  static constexpr double Bound = 128; // of the sum
  std::array<double, Terms> Weights{};
};

} // namespace

std::unique_ptr<Source> knownSource(StringRef Name) {
  uint64_t Seed = 0;
  if (StringRef Number = Name; Number.consume_front("seeded-") && !Number.getAsInteger(10, Seed)) {
    return std::make_unique<Seeded>(Seed);
  }
  return knownOrNull<Source>(StringSwitch<double (*)(PriorityContext &)>(Name)
                                 .Case("default", asGreedy)
                                 .Case("constant", constant)
                                 .Case("weight", weight)
                                 .Case("size", size)
                                 .Case("small", small)
                                 .Default(nullptr));
}

} // namespace harness
