// What comes after a decision: the rest of the pipeline, code, and what it takes up.

#ifndef HARNESS_INLINE_REST_H
#define HARNESS_INLINE_REST_H

#include "../module/line.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <memory>

namespace harness {

// Bytes of an object, without what every object has.
struct CodeBytes {
  int64_t Allocated = 0; // as of the metric size.alloc
  int64_t Executed = 0;  // as of size.text
};

// A copy of the module, in the same context, in which attributes of the calls say whether they are inlined. Of
// functions that `Fates` does not name, LLVM's heuristic decides each call.
std::unique_ptr<llvm::Module> decided(const llvm::Module &M, const llvm::StringMap<bool> &Fates);

// What the module comes to after the inliner of -Oz.
CodeBytes afterInliner(llvm::Module &M, Compiler &With);
// The same with the inliner.
CodeBytes inlined(llvm::Module &M, Compiler &With);

} // namespace harness

#endif
