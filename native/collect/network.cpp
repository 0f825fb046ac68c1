#include "network.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace harness {
namespace {

constexpr size_t InputsOfFeature = 3;

std::vector<float> floats(Request &From, size_t Count) {
  std::vector<float> Taken;
  for (size_t Index = 0; Index < Count && From.left() >= sizeof(float); ++Index) {
    Taken.push_back(From.take<float>());
  }
  return Taken;
}

} // namespace

std::unique_ptr<Network> Network::read(Request &From) {
  auto Made = std::make_unique<Network>();
  const size_t Features = From.take<uint16_t>();
  for (size_t Index = 0; Index < Features; ++Index) {
    Made->Uses.push_back(From.take<uint16_t>());
    const size_t Count = From.take<uint16_t>();
    Made->Thresholds.push_back(floats(From, Count));
    if (Made->Uses.back() >= NumAllFeatures || Count == 0 || Made->Thresholds.back().size() != Count) {
      return nullptr;
    }
  }
  size_t Inputs = Features * InputsOfFeature;
  const size_t Layers = From.take<uint16_t>();
  for (size_t Index = 0; Index < Layers; ++Index) {
    const size_t Outputs = From.take<uint16_t>();
    const size_t Size = Outputs * (Inputs + 1);
    Made->Layers.push_back({Outputs, floats(From, Size)});
    if (Outputs == 0 || Made->Layers.back().Weights.size() != Size) {
      return nullptr;
    }
    Inputs = Outputs;
  }
  return Layers != 0 && Inputs == 1 && From.isWhole() ? std::move(Made) : nullptr;
}

float Network::logit(ArrayRef<int64_t> Features) const {
  std::vector<float> Values;
  for (const auto &[Value, Limits] : zip_equal(Features, Thresholds)) {
    const auto Below = lower_bound(Limits, static_cast<float>(Value)) - Limits.begin();
    const float Share = static_cast<float>(Below) / static_cast<float>(Limits.size());
    Values.insert(Values.end(), {Share, std::sqrt(Share), Share * Share});
  }
  for (const auto &[Number, Layer] : enumerate(Layers)) {
    std::vector<float> Next;
    const size_t Width = Values.size() + 1;
    for (size_t Output = 0; Output < Layer.Outputs; ++Output) {
      const ArrayRef<float> Weights = ArrayRef(Layer.Weights).slice(Output * Width, Width);
      float Sum = Weights.back();
      for (const auto &[Value, Weight] : zip(Values, Weights)) {
        Sum += Value * Weight;
      }
      Next.push_back(Number + 1 == Layers.size() ? Sum : std::max(Sum, 0.0F));
    }
    Values = std::move(Next);
  }
  return Values.front();
}

} // namespace harness
