// A session of inlining: one module in memory, compiled as `clang -Oz` compiles it, again and again, as its owner says
// over two pipes. It runs in the sandbox.
//
//   inline_session MODULE OPTION...
//
// MODULE: bitcode. OPTION: of LLVM, as -mllvm gives it. Requests and answers have the form of `../module/wire.h`, with
// 0 for a line:
//
//   table   decisions as text (../inline/sites.h)   LLVM's heuristic decides what they do not have
//   trials  metric uint8, only calls uint8, least int64, share float64
//           every function is decided by trial (../inline/trial.h): inlined where that saves `least` bytes, of what is
//           loaded (metric 0) or of code (1); LLVM's heuristic decides what cannot be tried, and functions with one
//           call where `only calls` is 0
//   names   -> the functions that the module defines, in its order, a line each
//
// An answer to the first two: bytes of the object, uint64: loaded, of code. Of each function bytes of its code and of
// its part of the unwind table, uint32, all ones for one that is gone. All that was decided, as text.

#include "../collect/compile.h"
#include "../module/serve.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace harness {
namespace {

constexpr uint32_t LongestRequest = 1 << 28;
constexpr auto Decisions = "decisions";

enum class Wanted : uint8_t { Table, Trials, Names };

// Every function that can be tried is decided by that.
class ByTrial : public Source {
public:
  ByTrial(TrialFeature Saves, bool OnlyCalls, int64_t Least) : Saves(Saves), OnlyCalls(OnlyCalls), Least(Least) {}

  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override {
    if ((!OnlyCalls && Context.feature(CalleeFeature::callee_is_last_call) != 0) ||
        Context.feature(TrialFeature::trial_callers) == 0) {
      return Context.defaultDecision();
    }
    return Context.feature(Saves) >= Least;
  }

private:
  TrialFeature Saves;
  bool OnlyCalls;
  int64_t Least;
};

class InlineSession {
public:
  explicit InlineSession(MemoryBufferRef Bitcode) : Bitcode(Bitcode) {}

  // Says what is wrong with the module.
  Error begin() {
    auto First = Line::parse(Bitcode);
    if (!First) {
      return First.takeError();
    }
    auto Made = Compiler::create((*First)->module(), CodeGenOptLevel::Default);
    if (!Made) {
      return Made.takeError();
    }
    With = std::move(*Made);
    return Error::success();
  }

  std::optional<std::string> answer(StringRef Bytes, Answer &Into) {
    Request Asked(Bytes);
    const auto Kind = static_cast<Wanted>(Asked.take<uint8_t>());
    (void)Asked.take<uint32_t>();
    const std::unique_ptr<Line> On = cantFail(Line::parse(Bitcode)); // which was read before
    Session Deciding;
    switch (Kind) {
    case Wanted::Table:
      Deciding.Guide = std::make_unique<Table>(Asked.bytes(Asked.left()));
      break;
    case Wanted::Trials: {
      const auto Metric = Asked.take<uint8_t>();
      const bool OnlyCalls = Asked.take<uint8_t>() != 0;
      const auto Least = Asked.take<int64_t>();
      const auto Share = Asked.take<double>();
      Deciding.Tried.emplace(Share);
      const TrialFeature Saves = Metric == 0 ? TrialFeature::trial_saves_alloc : TrialFeature::trial_saves_text;
      Deciding.Decider = std::make_unique<ByTrial>(Saves, OnlyCalls, Least);
      break;
    }
    case Wanted::Names:
      sayNames(On->module(), Into);
      return Asked.isWhole() ? std::nullopt : std::optional<std::string>(Malformed);
    default:
      return Malformed;
    }
    if (!Asked.isWhole()) {
      return Malformed;
    }
    compile(*On, Deciding, Into);
    return std::nullopt;
  }

private:
  void compile(Line &On, Session &Deciding, Answer &Into) {
    const Functions Known(On.module());
    Deciding.Written = std::make_unique<Log>(Decisions);
    optimise(On, *With, Deciding, [] { return false; });
    const Object Made(On, *With);
    const Sizes Found = sizesOf(Made);
    Into.put(Found.Allocated);
    Into.put(Found.Executed);
    for (const auto &[Code, Unwind] : Known.bytesIn(Made)) {
      Into.put(Code);
      Into.put(Unwind);
    }
    Deciding.Written.reset(); // what is in the file
    Into.append((*MemoryBuffer::getFile(Decisions))->getBuffer());
  }

  static void sayNames(const Module &M, Answer &Into) {
    for (const Function &F : M) {
      if (!F.isDeclaration()) {
        Into.append(escaped(F.getName()));
        Into.append("\n");
      }
    }
  }

  static constexpr const char *Malformed = "this is no request";

  MemoryBufferRef Bitcode;
  std::unique_ptr<Compiler> With;
};

} // namespace
} // namespace harness

int main(int Count, char **Words) {
  if (Count < 2) {
    llvm::errs() << "usage: inline_session MODULE OPTION...\n";
    return EXIT_FAILURE;
  }
  const auto Bitcode = llvm::MemoryBuffer::getFile(Words[1]);
  llvm::cl::ParseCommandLineOptions(Count - 1, Words + 1); // the module stands where the program's name would
  if (!Bitcode) {
    llvm::errs() << "the module cannot be read\n";
    return EXIT_FAILURE;
  }
  harness::knowTargets();
  harness::InlineSession Here(**Bitcode);
  if (llvm::Error Fault = Here.begin()) {
    llvm::errs() << llvm::toString(std::move(Fault)) << "\n";
    return EXIT_FAILURE;
  }
  harness::serve(harness::LongestRequest,
                 [&Here](llvm::StringRef Bytes, harness::Answer &Into) { return Here.answer(Bytes, Into); });
  return EXIT_SUCCESS;
}
