// What an inlining heuristic sees. A submission is one C++ file that defines
//
//   bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context);
//
// and is compiled with this header, LLVM's analysis headers and `using namespace llvm` in force. It is asked about
// call sites that may be inlined and need not be: what is illegal, mandatory or recursive never reaches it.

#ifndef HARNESS_INLINE_POLICY_H
#define HARNESS_INLINE_POLICY_H

#include "llvm/Analysis/InlineModelFeatureMaps.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"
#include <cstddef>
#include <cstdint>

namespace harness {

// LLVM's 38 features of a call site, by the names of llvm::FeatureIndex.
constexpr size_t NumFeatures = static_cast<size_t>(llvm::FeatureIndex::callee_embedding);

// Whether a feature is a part of LLVM's cost: they come together, from a walk through the callee of their own.
constexpr bool isCostPart(size_t Index) {
  return Index < static_cast<size_t>(llvm::InlineCostFeatureIndex::NumberOfFeatures);
}

// The harness's own features of a call site, version 1: what becomes of the callee (docs/inlining.md).
#define HARNESS_CALLEE_FEATURES(FEATURE)                                                                               \
  FEATURE(callee_calls)                                                                                                \
  FEATURE(callee_calls_decided)                                                                                        \
  FEATURE(callee_calls_inlined)                                                                                        \
  FEATURE(callee_calls_legal)                                                                                          \
  FEATURE(callee_constant_args)                                                                                        \
  FEATURE(callee_can_go)                                                                                               \
  FEATURE(callee_is_last_call)                                                                                         \
  FEATURE(callee_instructions)                                                                                         \
  FEATURE(callee_bytes)                                                                                                \
  FEATURE(callee_bytes_if_gone)                                                                                        \
  FEATURE(caller_instructions)                                                                                         \
  FEATURE(caller_bytes)                                                                                                \
  FEATURE(caller_bytes_with_callee)                                                                                    \
  FEATURE(llvm_inlines)                                                                                                \
  FEATURE(llvm_inlines_without_bonus)

enum class CalleeFeature : uint8_t {
#define HARNESS_FEATURE(NAME) NAME,
  HARNESS_CALLEE_FEATURES(HARNESS_FEATURE)
#undef HARNESS_FEATURE
      Count
};
constexpr auto NumCalleeFeatures = static_cast<size_t>(CalleeFeature::Count);

// What trials found, version 3, for a policy of class search alone: the bytes that inlining all calls of the callee
// saves, of what is loaded and of code; and the callers in which it was tried, 0 if it was not. The last is known
// before: how many instructions trying it compiles (docs/inlining.md).
#define HARNESS_TRIAL_FEATURES(FEATURE)                                                                                \
  FEATURE(trial_saves_alloc)                                                                                           \
  FEATURE(trial_saves_text)                                                                                            \
  FEATURE(trial_callers)                                                                                               \
  FEATURE(trial_instructions)

enum class TrialFeature : uint8_t {
#define HARNESS_FEATURE(NAME) NAME,
  HARNESS_TRIAL_FEATURES(HARNESS_FEATURE)
#undef HARNESS_FEATURE
      Count
};

// By position: LLVM's, then the callee's, which a look at the module tells; then those of trials.
constexpr size_t NumStaticFeatures = NumFeatures + NumCalleeFeatures;
constexpr size_t NumAllFeatures = NumStaticFeatures + static_cast<size_t>(TrialFeature::Count);

class PolicyContext {
public:
  // One feature, computed when it is first asked for at this call site.
  virtual int64_t feature(llvm::FeatureIndex Index) = 0;
  virtual int64_t feature(CalleeFeature Index) = 0;
  virtual int64_t feature(TrialFeature Index) = 0;
  int64_t featureAt(size_t Index) {
    if (Index < NumFeatures) {
      return feature(static_cast<llvm::FeatureIndex>(Index));
    }
    return Index < NumStaticFeatures ? feature(static_cast<CalleeFeature>(Index - NumFeatures))
                                     : feature(static_cast<TrialFeature>(Index - NumStaticFeatures));
  }
  // What LLVM's own heuristic would decide here.
  virtual bool defaultDecision() = 0;
  // LLVM's analyses of functions: FAM.getResult<LoopAnalysis>(F) and all others.
  llvm::FunctionAnalysisManager &FAM; // NOLINT(misc-non-private-member-variables-in-classes)

  PolicyContext(const PolicyContext &) = delete;
  PolicyContext &operator=(const PolicyContext &) = delete;

protected:
  explicit PolicyContext(llvm::FunctionAnalysisManager &FAM) : FAM(FAM) {}
  ~PolicyContext() = default;
};

} // namespace harness

#endif
