// The object that clang's second step makes of a module.

#ifndef HARNESS_MODULE_OBJECT_H
#define HARNESS_MODULE_OBJECT_H

#include "line.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include <cstdint>
#include <memory>

namespace harness {

/// An object, and what reads it.
class Object {
public:
  /// Generate code of a copy: code generation changes what it is given.
  Object(const Line &Of, Compiler &With);
  /// Generate code of the module itself, which is no good for anything else then.
  Object(llvm::Module &Of, Compiler &With);

  llvm::StringRef bytes() const { return {Bytes.data(), Bytes.size()}; }
  const llvm::object::ELFObjectFileBase &read() const { return *Read; }

private:
  void generate(llvm::Module &Of, Compiler &With);

  llvm::SmallVector<char, 0> Bytes;
  std::unique_ptr<llvm::object::ELFObjectFileBase> Read;
};

/// Bytes of an object's sections.
struct Sizes {
  uint64_t Allocated = 0;    // without .bss: the metric size.alloc
  uint64_t Executed = 0;     // the metric size.text
  uint64_t Unwind = 0;       // of .eh_frame
  uint64_t UnwindShared = 0; // of it, of no function: its first entry, and what fills it up at its end
};
Sizes sizesOf(const Object &Made);

} // namespace harness

#endif
