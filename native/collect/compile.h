// One module, compiled as `clang -Oz` compiles it, with inlining decided from elsewhere.

#ifndef HARNESS_COLLECT_COMPILE_H
#define HARNESS_COLLECT_COMPILE_H

#include "../inline/advisor.h"
#include "../module/line.h"
#include "../module/object.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace harness {

/// Functions that a module defines, numbered in its order.
class Functions {
public:
  explicit Functions(const llvm::Module &M);

  static constexpr uint32_t None = ~0U;
  uint32_t number(const llvm::Function &F) const;
  uint32_t count() const { return Numbers.size(); }
  /// Bytes in an object; `None` for a function that is gone.
  struct Bytes {
    uint32_t Code = None;
    uint32_t Unwind = None; // its part of .eh_frame
  };
  std::vector<Bytes> bytesIn(const Object &Made) const;

private:
  llvm::StringMap<uint32_t> Numbers;
};

/// Make functions internal that others of the module call: what a file looks like within its program.
void closeOff(llvm::Module &M);

/// Run clang's -Oz pipeline on a module, with the advisor of `native/inline` in it. `IsKnown` is asked when all calls
/// are decided: whether that is enough, and the rest of the pipeline may be left out. Returns what it said.
bool optimise(Line &On, Compiler &With, Session &Deciding, llvm::function_ref<bool()> IsKnown);

} // namespace harness

#endif
