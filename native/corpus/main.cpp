// What a corpus asks of a module. It runs in the sandbox: the module, and the passes that run on it, may do anything.
//
//   corpus facts MODULE     facts of the module and its functions, as one line of JSON
//   corpus shapes MODULE    the same without live ranges, which take most of the time
//   corpus parts MODULE     its functions as modules of their own, one behind the other
//
// All write to standard output.

#include "facts.h"
#include "parts.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace llvm;

namespace {

int fail(const Twine &Why) {
  errs() << "corpus: " << Why << '\n';
  return EXIT_FAILURE;
}

} // namespace

int main(int Count, char **Words) {
  const StringRef Asked = Count == 3 ? Words[1] : "";
  if (Asked != "facts" && Asked != "shapes" && Asked != "parts") {
    return fail("corpus facts|shapes|parts MODULE");
  }
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
  const std::array<const char *, 2> Options{"corpus", "-stop-before=greedy"};
  cl::ParseCommandLineOptions(Options.size(), Options.data());
  auto Bitcode = MemoryBuffer::getFile(Words[2]);
  if (!Bitcode) {
    return fail("there is no such module");
  }
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> Read = parseBitcodeFile((*Bitcode)->getMemBufferRef(), Context);
  if (!Read) {
    return fail(toString(Read.takeError()));
  }
  if (Asked == "parts") {
    harness::parts(**Read, outs());
  } else if (Asked == "shapes") {
    harness::facts(**Read, {}, outs());
  } else {
    harness::facts(**Read, harness::liveRanges((*Bitcode)->getMemBufferRef()), outs());
  }
  return EXIT_SUCCESS;
}
