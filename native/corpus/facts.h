// What a corpus knows of a module and of each function in it (harness/learn/corpus/facts.py reads it).

#ifndef HARNESS_CORPUS_FACTS_H
#define HARNESS_CORPUS_FACTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace harness {

/// A digest of what a function computes with, whatever its names and constants: 128 bits, in hexadecimal. Equal for
/// functions that have the same signature, and instruction by instruction the same opcode, kinds of types, predicate or
/// intrinsic, and the same successors.
std::string shapeOf(const llvm::Function &F);

/// Function -> virtual registers with a live interval where Greedy would begin, after clang -O3 has optimised the
/// module without its minsize and optsize. A function that -O3 has inlined everywhere or dropped is not there.
llvm::StringMap<unsigned> liveRanges(llvm::MemoryBufferRef Bitcode);

/// One JSON object. The module is not changed.
void facts(const llvm::Module &M, const llvm::StringMap<unsigned> &Ranges, llvm::raw_ostream &To);

} // namespace harness

#endif
