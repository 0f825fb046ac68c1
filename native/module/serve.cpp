#include "serve.h"
#include "llvm/Support/TargetSelect.h"
#include <csignal>

using namespace llvm;

namespace harness {
namespace {

constexpr int From = 8;
constexpr int To = 9;

} // namespace

void knowTargets() {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers(); // of inline assembly, whose bytes are wanted
}

void serve(uint32_t Longest, function_ref<std::optional<std::string>(StringRef Request, Answer &Into)> Answering) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::string Bytes;
  for (bool Heard = send(To, true, ""); Heard && receive(From, Bytes, Longest);) {
    Answer Made;
    const std::optional<std::string> Why = Answering(Bytes, Made);
    Heard = send(To, !Why, Why ? StringRef(*Why) : Made.bytes());
  }
}

} // namespace harness
