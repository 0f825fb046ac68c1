// What a priority function sees. A submission is one C++ file that defines
//
//   double getPriority(const LiveInterval &LI, PriorityContext &Context);
//
// and is compiled with this header, LLVM's code generation headers and `using namespace llvm` in force. LLVM's Greedy
// allocator asks it for every live range that it puts into its queue; what has the highest priority is allocated first.

#ifndef HARNESS_REGALLOC_POLICY_H
#define HARNESS_REGALLOC_POLICY_H

#include <cstddef>
#include <cstdint>

namespace llvm {
class LiveInterval;
class LiveIntervals;
class MachineFunction;
class MachineRegisterInfo;
class RegisterClassInfo;
class TargetRegisterInfo;
class VirtRegMap;
} // namespace llvm

namespace harness {

// Features of a live range. The first three are those of LLVM's own learned advisor. (docs/regalloc.md has meanings.)
#define HARNESS_RANGE_FEATURES(M)                                                                                      \
  M(li_size)                                                                                                           \
  M(stage)                                                                                                             \
  M(weight)                                                                                                            \
  M(default_priority)                                                                                                  \
  M(is_spillable)                                                                                                      \
  M(is_local)                                                                                                          \
  M(is_split)                                                                                                          \
  M(has_hint)                                                                                                          \
  M(segments)                                                                                                          \
  M(values)                                                                                                            \
  M(operands)                                                                                                          \
  M(calls)                                                                                                             \
  M(registers)                                                                                                         \
  M(class_priority)                                                                                                    \
  M(begin)                                                                                                             \
  M(end)                                                                                                               \
  M(function_size)

enum class RangeFeature : uint8_t {
#define NAME(NAME) NAME,
  HARNESS_RANGE_FEATURES(NAME)
#undef NAME
      Count
};

constexpr size_t NumRangeFeatures = static_cast<size_t>(RangeFeature::Count);

class PriorityContext {
public:
  // One feature, computed when it is first asked for of this live range.
  virtual double feature(RangeFeature Feature) = 0;
  // What Greedy's own function gives.
  virtual uint32_t defaultPriority() = 0;

  // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
  const llvm::MachineFunction &MF;
  const llvm::LiveIntervals &LIS;
  const llvm::VirtRegMap &VRM;
  const llvm::MachineRegisterInfo &MRI;
  const llvm::TargetRegisterInfo &TRI;
  const llvm::RegisterClassInfo &Classes;
  // NOLINTEND(misc-non-private-member-variables-in-classes)

  PriorityContext(const PriorityContext &) = delete;
  PriorityContext &operator=(const PriorityContext &) = delete;

protected:
  PriorityContext(const llvm::MachineFunction &MF, const llvm::LiveIntervals &LIS, const llvm::VirtRegMap &VRM,
                  const llvm::MachineRegisterInfo &MRI, const llvm::TargetRegisterInfo &TRI,
                  const llvm::RegisterClassInfo &Classes)
      : MF(MF), LIS(LIS), VRM(VRM), MRI(MRI), TRI(TRI), Classes(Classes) {}
  ~PriorityContext() = default;
};

} // namespace harness

#endif
