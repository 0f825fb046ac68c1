#include "object.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace harness {

Object::Object(const Line &Of, Compiler &With) {
  const std::string Bitcode = Of.bitcode(); // as clang gets it
  auto Parsed = Line::parse(MemoryBufferRef(Bitcode, "module"));
  if (!Parsed) {
    report_fatal_error(Parsed.takeError());
  }
  Module &Copy = (*Parsed)->module();
  raw_svector_ostream Stream(Bytes);
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(Copy.getTargetTriple()));
  if (With.generator().addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::ObjectFile, true)) {
    report_fatal_error("no object can be written for this target");
  }
  Passes.run(Copy);
  auto Made = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes(), "object"));
  if (!Made) {
    report_fatal_error(Made.takeError());
  }
  Read.reset(cast<object::ELFObjectFileBase>(Made->release()));
}

Sizes sizesOf(const Object &Made) {
  Sizes Found;
  for (const object::ELFSectionRef Section : Made.read().sections()) {
    const uint64_t Flags = Section.getFlags();
    if ((Flags & ELF::SHF_ALLOC) == 0 || Section.getType() == ELF::SHT_NOBITS) {
      continue;
    }
    Found.Allocated += Section.getSize();
    Found.Executed += (Flags & ELF::SHF_EXECINSTR) != 0 ? Section.getSize() : 0;
    if (Expected<StringRef> Name = Section.getName(); !Name) {
      consumeError(Name.takeError());
    } else if (*Name == ".eh_frame") {
      Found.Unwind += Section.getSize();
    }
  }
  return Found;
}

} // namespace harness
