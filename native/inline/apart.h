// Functions of a module in another one, where everything else of it is declared only.

#ifndef HARNESS_INLINE_APART_H
#define HARNESS_INLINE_APART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <memory>

namespace harness {

// Copies of them in a module of the same context; the first can be called from elsewhere, the others cannot. `Map` gets
// what became of each value. What is declared is as near as it was, and constants keep what they are.
std::unique_ptr<llvm::Module> apart(llvm::ArrayRef<llvm::Function *> Functions, llvm::ValueToValueMapTy &Map);

} // namespace harness

#endif
