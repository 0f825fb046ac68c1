#include "../module/object.h"
#include "observe.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace harness {

void objectSize(const Line &Of, Compiler &With, Answer &Into) {
  const Object Made(Of, With);
  const Sizes Found = sizesOf(Made);
  Into.put(Found.Allocated);
  Into.put(Found.Executed);
  Into.put(xxh3_64bits(Made.bytes()));
}

} // namespace harness
