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

constexpr SizeModel X86Size = {
    {
        0.00,  // functions
        0.00,  // arguments
        0.00,  // blocks
        0.00,  // returns
        0.00,  // jumps
        0.00,  // branches
        20.47, // switches
        0.00,  // cases
        10.11, // calls
        0.45,  // call_arguments
        14.83, // indirect_calls
        25.84, // memory_intrinsics
        15.96, // intrinsics
        0.00,  // invokes
        0.00,  // landing_pads
        0.00,  // loads
        1.46,  // stores
        0.00,  // atomics
        1.77,  // addresses
        2.54,  // indices
        0.50,  // arithmetic
        3.27,  // shifts
        9.20,  // multiplications
        13.56, // divisions
        7.87,  // comparisons
        12.34, // float_comparisons
        2.08,  // float_arithmetic
        0.00,  // float_divisions
        0.00,  // integer_casts
        7.97,  // float_casts
        2.41,  // selects
        3.89,  // phis
        1.03,  // phi_inputs
        20.73, // allocas
        6.78,  // vectors
        0.00,  // aggregates
        2.80,  // small_constants
        2.03,  // large_constants
        4.48,  // float_constants
        6.41,  // globals
        0.00,  // others
    },
    6.04,
    7.94,
};

constexpr SizeModel AArch64Size = {
    {
        2.75,  // functions
        0.00,  // arguments
        0.00,  // blocks
        0.00,  // returns
        0.00,  // jumps
        0.00,  // branches
        21.21, // switches
        0.00,  // cases
        9.93,  // calls
        0.00,  // call_arguments
        13.92, // indirect_calls
        23.78, // memory_intrinsics
        10.02, // intrinsics
        0.00,  // invokes
        0.00,  // landing_pads
        0.00,  // loads
        0.00,  // stores
        0.00,  // atomics
        3.20,  // addresses
        1.38,  // indices
        0.32,  // arithmetic
        4.70,  // shifts
        9.56,  // multiplications
        13.25, // divisions
        10.01, // comparisons
        10.99, // float_comparisons
        3.16,  // float_arithmetic
        1.95,  // float_divisions
        0.08,  // integer_casts
        4.32,  // float_casts
        1.69,  // selects
        3.01,  // phis
        0.00,  // phi_inputs
        7.21,  // allocas
        4.55,  // vectors
        0.00,  // aggregates
        0.00,  // small_constants
        1.45,  // large_constants
        8.32,  // float_constants
        6.93,  // globals
        0.00,  // others
    },
    42.10,
    2.22,
};

} // namespace harness

#endif
