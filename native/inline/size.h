// The bytes of a function's code, estimated from its IR: a linear model of what it consists of, for each target.

#ifndef HARNESS_INLINE_SIZE_H
#define HARNESS_INLINE_SIZE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace harness {

// What is counted, in the order of the model's weights (harness/learn/inliners/size_model.py).
#define HARNESS_SIZE_PARTS(PART)                                                                                       \
  PART(functions)                                                                                                      \
  PART(arguments)                                                                                                      \
  PART(blocks)                                                                                                         \
  PART(returns)                                                                                                        \
  PART(jumps)                                                                                                          \
  PART(branches)                                                                                                       \
  PART(switches)                                                                                                       \
  PART(cases)                                                                                                          \
  PART(calls)                                                                                                          \
  PART(call_arguments)                                                                                                 \
  PART(indirect_calls)                                                                                                 \
  PART(memory_intrinsics)                                                                                              \
  PART(intrinsics)                                                                                                     \
  PART(invokes)                                                                                                        \
  PART(landing_pads)                                                                                                   \
  PART(loads)                                                                                                          \
  PART(stores)                                                                                                         \
  PART(atomics)                                                                                                        \
  PART(addresses)                                                                                                      \
  PART(indices)                                                                                                        \
  PART(arithmetic)                                                                                                     \
  PART(shifts)                                                                                                         \
  PART(multiplications)                                                                                                \
  PART(divisions)                                                                                                      \
  PART(comparisons)                                                                                                    \
  PART(float_comparisons)                                                                                              \
  PART(float_arithmetic)                                                                                               \
  PART(float_divisions)                                                                                                \
  PART(integer_casts)                                                                                                  \
  PART(float_casts)                                                                                                    \
  PART(selects)                                                                                                        \
  PART(phis)                                                                                                           \
  PART(phi_inputs)                                                                                                     \
  PART(allocas)                                                                                                        \
  PART(vectors)                                                                                                        \
  PART(aggregates)                                                                                                     \
  PART(small_constants)                                                                                                \
  PART(large_constants)                                                                                                \
  PART(float_constants)                                                                                                \
  PART(globals)                                                                                                        \
  PART(others)

enum class SizePart : uint8_t {
#define HARNESS_PART(NAME) NAME,
  HARNESS_SIZE_PARTS(HARNESS_PART)
#undef HARNESS_PART
      Count
};
constexpr auto NumSizeParts = static_cast<size_t>(SizePart::Count);

using SizeParts = std::array<int64_t, NumSizeParts>;

SizeParts partsOf(const llvm::Function &F);

// Bytes of code, at least 1.
int64_t bytesOf(const llvm::Function &F);

// What of them is this call.
int64_t callBytes(const llvm::CallBase &CB);

// Bytes that the unwind table has for a function of so many bytes.
int64_t unwindBytes(const llvm::Function &F, int64_t Bytes);

} // namespace harness

#endif
