// The weights of the model of size: written by `python -m harness.learn.inliners size`.

#ifndef HARNESS_INLINE_SIZE_MODEL_H
#define HARNESS_INLINE_SIZE_MODEL_H

#include "size.h"

namespace harness {

struct SizeModel {
  std::array<double, NumSizeParts> Weights; // bytes
  double Unwind;                            // bytes of the unwind table for a function
  double UnwindOfDoubling;                  // more of them for each doubling of its code
};

constexpr SizeModel X86Size = {{}, 0, 0};
constexpr SizeModel AArch64Size = {{}, 0, 0};

} // namespace harness

#endif
