// A small network that says whether to inline, with weights as data: another one needs no compiler.

#ifndef HARNESS_COLLECT_NETWORK_H
#define HARNESS_COLLECT_NETWORK_H

#include "../inline/policy.h"
#include "../module/wire.h"
#include <array>
#include <cstdint>
#include <vector>

namespace harness {

/// Features go through buckets: x is the share of a feature's thresholds that are below it, and x, its root and its
/// square are inputs. Then come layers, each a matrix and a bias, with ReLU between them. The last has one output, the
/// logit of inlining.
class Network {
public:
  /// Of a request: the number of features (uint16); of each its number (uint16), the number of its thresholds (uint16)
  /// and these (float32...), ascending; the number of layers (uint16); of each its outputs (uint16), then for each
  /// output its weights and its bias (float32...). Null for what is none.
  static std::unique_ptr<Network> read(Request &From);

  /// Numbers of the features that it asks for.
  llvm::ArrayRef<size_t> uses() const { return Uses; }

  /// The logit of inlining, of the features that it asks for.
  float logit(llvm::ArrayRef<int64_t> Features) const;

private:
  struct Layer {
    size_t Outputs;
    std::vector<float> Weights; // of each output: one for each input, and the bias
  };

  std::vector<size_t> Uses;
  std::vector<std::vector<float>> Thresholds;
  std::vector<Layer> Layers;
};

} // namespace harness

#endif
