// The features of call sites, written for training.

#ifndef HARNESS_INLINE_FEATURE_LOG_H
#define HARNESS_INLINE_FEATURE_LOG_H

#include "policy.h"
#include <cstdint>
#include <cstdio>
#include <string>

namespace harness {

// Call sites that a policy was asked about, as rows of int64 of the machine's byte order: position in the series,
// the features, without those of trials, the decision, LLVM's own.
class FeatureLog {
public:
  explicit FeatureLog(const std::string &Path);
  FeatureLog(const FeatureLog &) = delete;
  FeatureLog &operator=(const FeatureLog &) = delete;
  ~FeatureLog();
  void write(uint64_t Position, PolicyContext &Site, bool Inline);

private:
  std::FILE *File;
};

} // namespace harness

#endif
