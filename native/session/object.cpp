// The size of the object that clang's second step makes of a module.

#include "observe.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace harness {

void objectSize(Line &Of, Compiler &With, Answer &Into) {
  const std::string Bitcode = Of.bitcode(); // as clang gets it; code generation changes what it is given
  auto Parsed = Line::parse(MemoryBufferRef(Bitcode, "module"));
  if (!Parsed) {
    report_fatal_error(Parsed.takeError());
  }
  Module &Copy = (*Parsed)->module();
  SmallString<0> Object;
  raw_svector_ostream Stream(Object);
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(Copy.getTargetTriple()));
  if (With.generator().addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::ObjectFile, true)) {
    report_fatal_error("no object can be written for this target");
  }
  Passes.run(Copy);
  auto Read = object::ObjectFile::createELFObjectFile(MemoryBufferRef(Object, "object"));
  if (!Read) {
    report_fatal_error(Read.takeError());
  }
  uint64_t Allocated = 0;
  uint64_t Executed = 0;
  for (const object::ELFSectionRef Section : (*Read)->sections()) {
    const uint64_t Flags = Section.getFlags();
    if ((Flags & ELF::SHF_ALLOC) == 0 || Section.getType() == ELF::SHT_NOBITS) {
      continue;
    }
    Allocated += Section.getSize();
    Executed += (Flags & ELF::SHF_EXECINSTR) != 0 ? Section.getSize() : 0;
  }
  Into.put(Allocated);
  Into.put(Executed);
  Into.put(xxh3_64bits(Object.str()));
}

} // namespace harness
