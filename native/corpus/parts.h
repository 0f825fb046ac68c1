// Functions as modules of their own.

#ifndef HARNESS_CORPUS_PARTS_H
#define HARNESS_CORPUS_PARTS_H

#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace harness {

/// For each function that the module defines, in order, a module of it and of all functions of the module that its code
/// reaches; all but itself are internal. Constants come along. Variables are declared: nobody knows what another
/// function has stored there. Written is for each the size (uint32, little-endian), then so many bytes of bitcode.
void parts(llvm::Module &M, llvm::raw_ostream &To);

} // namespace harness

#endif
