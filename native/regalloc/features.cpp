#include "features.h"
#include "decisions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <array>
#include <cinttypes>
#include <type_traits>

using namespace llvm;

namespace harness {
namespace {

// Seventeen digits tell every number; whole ones have no more than they need.
void end(std::FILE *Line, ArrayRef<double> Features) {
  for (const double Value : Features) {
    (void)std::fprintf(Line, " %.17g", Value);
  }
  (void)std::fputc('\n', Line);
}

template <typename Feature, size_t Count, typename Context> void end(std::FILE *Line, Context &Of) {
  std::array<double, Count> Features{};
  for (size_t Index = 0; Index < Count; ++Index) {
    Features[Index] = Of.feature(static_cast<Feature>(Index));
  }
  end(Line, Features);
}

// Those that each slot has its own of.
SmallVector<double, 20> ofSlot(const EvictionFeatures &Features, unsigned Slot) {
  SmallVector<double, 20> Values;
  const auto Add = [&](const auto &Tensor) {
    if constexpr (std::extent_v<std::remove_reference_t<decltype(Tensor)>> == NumSlots) {
      Values.push_back(static_cast<double>(Tensor[Slot]));
    }
  };
#define ADD(TYPE, COUNT, NAME) Add(Features.NAME);
  HARNESS_EVICTION_FEATURES(ADD)
#undef ADD
  return Values;
}

const char *nameOf(Outcome Of) {
  switch (Of) {
  case Outcome::Assigned:
    return "assigned";
  case Outcome::Spilled:
    return "spilled";
  default:
    return "split";
  }
}

} // namespace

void FeatureLog::write(const MachineFunction &MF, StringRef Allocation, FunctionContext &Context) {
  (void)std::fprintf(File.get(), "f %s %" PRIx64 " %s", escaped(MF.getName()).c_str(), digestOf(MF),
                     Allocation.str().c_str());
  end<FunctionFeature, NumFunctionFeatures>(File.get(), Context);
}

void FeatureLog::write(uint64_t Step, uint32_t Register, uint32_t Priority, PriorityContext &Context) {
  (void)std::fprintf(File.get(), "q %" PRIu64 " %" PRIu32 " %" PRIu32, Step, Register, Priority);
  end<RangeFeature, NumRangeFeatures>(File.get(), Context);
}

void FeatureLog::write(uint64_t Step, uint32_t Register, unsigned Slot, const EvictionFeatures &Features) {
  (void)std::fprintf(File.get(), "e %" PRIu64 " %" PRIu32 " %u %" PRId64, Step, Register, Slot,
                     Features.default_slot[0]);
  end(File.get(), double{Features.progress[0]});
  for (unsigned At = 0; At < NumSlots; ++At) {
    if (Features.mask[At] != 0) {
      (void)std::fprintf(File.get(), "s %u", At);
      end(File.get(), ofSlot(Features, At));
    }
  }
}

void FeatureLog::write(uint32_t Register, Outcome Of) {
  (void)std::fprintf(File.get(), "r %" PRIu32 " %s\n", Register, nameOf(Of));
}

void FeatureLog::finish() { (void)std::fputs("end\n", File.get()); }

} // namespace harness
