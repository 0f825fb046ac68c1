// What a policy sees. A submission is one C++ file, compiled with this header, LLVM's code generation headers and
// `using namespace llvm` in force. It defines the answer to one question:
//
//   double getPriority(const LiveInterval &LI, PriorityContext &Context);
//
// LLVM's Greedy allocator asks it for every live range that it puts into its queue; what has the highest priority is
// allocated first.
//
//   Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context);
//
// What allocates the registers of a function, asked before that is done.

#ifndef HARNESS_REGALLOC_POLICY_H
#define HARNESS_REGALLOC_POLICY_H

#include <cstddef>
#include <cstdint>

namespace llvm {
class LiveInterval;
class LiveIntervals;
class MachineBlockFrequencyInfo;
class MachineFunction;
class MachineLoopInfo;
class MachineRegisterInfo;
class RegisterClassInfo;
class TargetRegisterInfo;
class VirtRegMap;
} // namespace llvm

namespace harness {

// Features of a live range: type, name. The first three are those of LLVM's own learned advisor. (docs/regalloc.md has
// meanings.)
#define HARNESS_RANGE_FEATURES(M)                                                                                      \
  M(int64_t, li_size)                                                                                                  \
  M(int64_t, stage)                                                                                                    \
  M(float, weight)                                                                                                     \
  M(int64_t, default_priority)                                                                                         \
  M(int64_t, is_spillable)                                                                                             \
  M(int64_t, is_local)                                                                                                 \
  M(int64_t, is_split)                                                                                                 \
  M(int64_t, has_hint)                                                                                                 \
  M(int64_t, segments)                                                                                                 \
  M(int64_t, values)                                                                                                   \
  M(int64_t, operands)                                                                                                 \
  M(int64_t, calls)                                                                                                    \
  M(int64_t, registers)                                                                                                \
  M(int64_t, class_priority)                                                                                           \
  M(int64_t, begin)                                                                                                    \
  M(int64_t, end)                                                                                                      \
  M(int64_t, function_size)

enum class RangeFeature : uint8_t {
#define NAME(TYPE, NAME) NAME,
  HARNESS_RANGE_FEATURES(NAME)
#undef NAME
      Count
};

constexpr size_t NumRangeFeatures = static_cast<size_t>(RangeFeature::Count);

// A function while Greedy allocates its registers.
struct GreedyFunction {
  const llvm::MachineFunction &MF;
  const llvm::LiveIntervals &LIS;
  const llvm::VirtRegMap &VRM;
  const llvm::MachineRegisterInfo &MRI;
  const llvm::TargetRegisterInfo &TRI;
  const llvm::RegisterClassInfo &Classes;
};

class PriorityContext : public GreedyFunction {
public:
  // One feature, computed when it is first asked for of this live range.
  virtual double feature(RangeFeature Feature) = 0;
  // What Greedy's own function gives.
  virtual uint32_t defaultPriority() = 0;

  PriorityContext(const PriorityContext &) = delete;
  PriorityContext &operator=(const PriorityContext &) = delete;

protected:
  explicit PriorityContext(const GreedyFunction &Of) : GreedyFunction(Of) {}
  ~PriorityContext() = default;
};

// Features of a function: type, name. (docs/regalloc.md has meanings.)
#define HARNESS_FUNCTION_FEATURES(M)                                                                                   \
  M(int64_t, instructions)                                                                                             \
  M(int64_t, blocks)                                                                                                   \
  M(int64_t, loops)                                                                                                    \
  M(int64_t, depth)                                                                                                    \
  M(int64_t, calls)                                                                                                    \
  M(float, frequency)                                                                                                  \
  M(float, call_frequency)                                                                                             \
  M(float, accesses)                                                                                                   \
  M(float, copies)                                                                                                     \
  M(int64_t, general_ranges)                                                                                           \
  M(int64_t, general_registers)                                                                                        \
  M(int64_t, general_pressure)                                                                                         \
  M(float, general_excess)                                                                                             \
  M(float, general_over_calls)                                                                                         \
  M(int64_t, vector_ranges)                                                                                            \
  M(int64_t, vector_registers)                                                                                         \
  M(int64_t, vector_pressure)                                                                                          \
  M(float, vector_excess)                                                                                              \
  M(float, vector_over_calls)

enum class FunctionFeature : uint8_t {
#define NAME(TYPE, NAME) NAME,
  HARNESS_FUNCTION_FEATURES(NAME)
#undef NAME
      Count
};

constexpr size_t NumFunctionFeatures = static_cast<size_t>(FunctionFeature::Count);

// What can allocate the registers of a function: Greedy with one of the plugin's priority functions (its own first), or
// another of LLVM's allocators.
#define HARNESS_ALLOCATIONS(M)                                                                                         \
  M(Greedy, "default")                                                                                                 \
  M(Basic, "basic")                                                                                                    \
  M(PBQP, "pbqp")                                                                                                      \
  M(Constant, "constant")                                                                                              \
  M(Weight, "weight")                                                                                                  \
  M(Size, "size")                                                                                                      \
  M(Small, "small")                                                                                                    \
  M(Seeded0, "seeded-0")                                                                                               \
  M(Seeded1, "seeded-1")                                                                                               \
  M(Seeded2, "seeded-2")                                                                                               \
  M(Seeded3, "seeded-3")                                                                                               \
  M(Seeded4, "seeded-4")                                                                                               \
  M(Seeded5, "seeded-5")                                                                                               \
  M(Seeded6, "seeded-6")                                                                                               \
  M(Seeded7, "seeded-7")                                                                                               \
  M(Seeded8, "seeded-8")                                                                                               \
  M(Seeded9, "seeded-9")                                                                                               \
  M(Seeded10, "seeded-10")                                                                                             \
  M(Seeded11, "seeded-11")                                                                                             \
  M(Seeded12, "seeded-12")                                                                                             \
  M(Seeded13, "seeded-13")                                                                                             \
  M(Seeded14, "seeded-14")                                                                                             \
  M(Seeded15, "seeded-15")

enum class Allocation : uint8_t {
#define NAME(NAME, WORD) NAME,
  HARNESS_ALLOCATIONS(NAME)
#undef NAME
      Count
};

constexpr size_t NumAllocations = static_cast<size_t>(Allocation::Count);

// A function whose registers are to be allocated.
struct PendingFunction {
  const llvm::LiveIntervals &LIS;
  const llvm::MachineBlockFrequencyInfo &Frequencies;
  const llvm::MachineLoopInfo &Loops;
  const llvm::RegisterClassInfo &Classes;
};

class FunctionContext : public PendingFunction {
public:
  // One feature. All are computed when the first is asked for.
  virtual double feature(FunctionFeature Feature) = 0;

  FunctionContext(const FunctionContext &) = delete;
  FunctionContext &operator=(const FunctionContext &) = delete;

protected:
  explicit FunctionContext(const PendingFunction &Of) : PendingFunction(Of) {}
  ~FunctionContext() = default;
};

} // namespace harness

#endif
