#include "object.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace harness {

Object::Object(const Line &Of, Compiler &With) {
  const std::string Bitcode = Of.bitcode(); // as clang gets it
  auto Parsed = Line::parse(MemoryBufferRef(Bitcode, "module"));
  if (!Parsed) {
    report_fatal_error(Parsed.takeError());
  }
  generate((*Parsed)->module(), With);
}

Object::Object(Module &Of, Compiler &With) { generate(Of, With); }

void Object::generate(Module &Of, Compiler &With) {
  raw_svector_ostream Stream(Bytes);
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(Of.getTargetTriple()));
  if (With.generator().addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::ObjectFile, true)) {
    report_fatal_error("no object can be written for this target");
  }
  Passes.run(Of);
  auto Made = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes(), "object"));
  if (!Made) {
    report_fatal_error(Made.takeError());
  }
  Read.reset(cast<object::ELFObjectFileBase>(Made->release()));
}

namespace {

// Entries end where a multiple of four bytes does, the table where one of eight does.
uint64_t sharedOf(StringRef Table, bool IsLittleEndian) {
  uint64_t At = 0;
  const uint64_t First = DataExtractor(Table, IsLittleEndian, 0).getU32(&At) + sizeof(uint32_t);
  constexpr StringRef Filling("\0\0\0\0", sizeof(uint32_t));
  return First + (Table.size() > First && Table.ends_with(Filling) ? Filling.size() : 0);
}

} // namespace

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
      Found.UnwindShared += sharedOf(cantFail(Section.getContents()), Made.read().isLittleEndian());
    }
  }
  return Found;
}

} // namespace harness
