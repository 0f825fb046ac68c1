// A session: one module in memory, and lines of it that passes are run on, as its owner says over two pipes. It runs in
// the sandbox: a pass may crash, hang or take all memory, and then this process ends and its owner sees why.
//
//   session MODULE ACTIONS LEVEL VOCABULARY
//
// MODULE: bitcode. ACTIONS: a pipeline on each line, empty for an action that does nothing. LEVEL: of code generation,
// 0 to 3. VOCABULARY: of IR2Vec, as LLVM reads it. Requests and answers have the form of `../module/wire.h`:
//
//   apply    flags uint8, then actions uint16...   flags & 1: count after each, flags & 2: count at the end
//            -> for each action a byte, 1 if it changed something, then the counts, uint64
//   observe  what uint8                            -> as `observe.h` says
//   fork                                           -> the new line, uint32
//   reset                                          -> nothing; the module is read again
//   drop                                           -> nothing
//   open                                           -> a new line, uint32: the module is read again
//   bitcode                                        -> the module
//
// Line 0 is there at the start.

#include "../module/line.h"
#include "../module/serve.h"
#include "observe.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <vector>

using namespace llvm;

namespace harness {
namespace {

constexpr uint32_t LongestRequest = 1 << 20;
constexpr size_t MostLines = 1024;

enum class Wanted : uint8_t { Apply, Observe, Fork, Reset, Drop, Bitcode, Open };
enum class What : uint8_t { Count, Autophase, Opcodes, Text, Graph, Object, IR2Vec };
enum Flag : uint8_t { CountEach = 1, CountLast = 2 };

class Session {
public:
  Session(MemoryBufferRef Bitcode, std::vector<std::string> Actions, StringRef Words)
      : Bitcode(Bitcode), Actions(std::move(Actions)), Words(Words) {}

  /// Read the module and every pipeline. Says what is wrong with them.
  Error begin(CodeGenOptLevel Level) {
    auto First = Line::parse(Bitcode);
    if (!First) {
      return First.takeError();
    }
    auto Made = Compiler::create((*First)->module(), Level);
    if (!Made) {
      return Made.takeError();
    }
    With = std::move(*Made);
    Lines.emplace(0, std::move(*First));
    for (const std::string &Action : Actions) {
      ModulePassManager Passes;
      if (Action.empty()) {
        continue;
      }
      if (Error Fault = With->passes().parsePassPipeline(Passes, Action)) {
        return Fault;
      }
    }
    return Error::success();
  }

  /// Fill in the answer; why there is none, where the request means nothing.
  std::optional<std::string> answer(StringRef Bytes, Answer &Into) {
    Request Asked(Bytes);
    const auto Kind = Asked.take<uint8_t>();
    const auto Number = Asked.take<uint32_t>();
    if (static_cast<Wanted>(Kind) == Wanted::Open) {
      return Asked.isWhole() ? add(read(), Into) : Malformed;
    }
    const auto Found = Lines.find(Number);
    if (Found == Lines.end()) {
      return "there is no line " + utostr(Number);
    }
    Line &On = *Found->second;
    switch (static_cast<Wanted>(Kind)) {
    case Wanted::Apply:
      return apply(On, Asked, Into);
    case Wanted::Observe: {
      const auto Which = static_cast<What>(Asked.take<uint8_t>());
      return Asked.isWhole() ? observe(On, Which, Into) : Malformed;
    }
    case Wanted::Fork:
      return Asked.isWhole() ? add(On.fork(), Into) : Malformed;
    case Wanted::Reset:
      if (!Asked.isWhole()) {
        return Malformed;
      }
      Found->second = read();
      return std::nullopt;
    case Wanted::Drop:
      if (!Asked.isWhole()) {
        return Malformed;
      }
      Lines.erase(Found);
      return std::nullopt;
    case Wanted::Bitcode:
      return bitcode(On, Asked, Into);
    case Wanted::Open:
      break;
    }
    return Malformed;
  }

private:
  std::optional<std::string> apply(Line &On, Request &Asked, Answer &Into) {
    const auto Flags = Asked.take<uint8_t>();
    std::vector<uint16_t> Chosen;
    while (Asked.left() >= sizeof(uint16_t)) {
      Chosen.push_back(Asked.take<uint16_t>());
      if (Chosen.back() >= Actions.size()) {
        return "there is no action " + utostr(Chosen.back());
      }
    }
    if (!Asked.isWhole()) {
      return Malformed;
    }
    std::vector<uint64_t> Counts;
    for (const uint16_t One : Chosen) {
      const std::string &Pipeline = Actions[One];
      Into.put(static_cast<uint8_t>(!Pipeline.empty() && On.run(Pipeline, *With) ? 1 : 0));
      if ((Flags & CountEach) != 0) {
        Counts.push_back(countInstructions(On.module()));
      }
    }
    if ((Flags & CountLast) != 0) {
      Counts.push_back(countInstructions(On.module()));
    }
    for (const uint64_t Count : Counts) {
      Into.put(Count);
    }
    return std::nullopt;
  }

  std::optional<std::string> observe(Line &On, What Which, Answer &Into) {
    switch (Which) {
    case What::Count:
      Into.put(countInstructions(On.module()));
      return std::nullopt;
    case What::Autophase:
      for (const int64_t Feature : autophase(On.module())) {
        Into.put(Feature);
      }
      return std::nullopt;
    case What::Opcodes:
      instructionCounts(On.module(), Into);
      return std::nullopt;
    case What::Text:
      text(On.module(), Into);
      return std::nullopt;
    case What::Graph:
      graph(On.module(), Into);
      return std::nullopt;
    case What::Object:
      objectSize(On, *With, Into);
      return std::nullopt;
    case What::IR2Vec:
      Words.embed(On.module(), Into);
      return std::nullopt;
    }
    return Malformed;
  }

  std::optional<std::string> add(std::unique_ptr<Line> Made, Answer &Into) {
    if (Lines.size() == MostLines) {
      return "there are " + utostr(MostLines) + " lines already: drop some";
    }
    Lines.emplace(++LastLine, std::move(Made));
    Into.put(LastLine);
    return std::nullopt;
  }

  std::unique_ptr<Line> read() {
    auto Again = Line::parse(Bitcode);
    if (!Again) {
      report_fatal_error(Again.takeError()); // it was read before
    }
    return std::move(*Again);
  }

  static std::optional<std::string> bitcode(Line &On, const Request &Asked, Answer &Into) {
    if (!Asked.isWhole()) {
      return Malformed;
    }
    Into.append(On.bitcode());
    return std::nullopt;
  }

  static constexpr const char *Malformed = "this is no request";

  MemoryBufferRef Bitcode;
  std::vector<std::string> Actions;
  Vocabulary Words;
  std::unique_ptr<Compiler> With;
  std::map<uint32_t, std::unique_ptr<Line>> Lines;
  uint32_t LastLine = 0;
};

int fail(const Twine &Why) {
  errs() << "session: " << Why << '\n';
  return EXIT_FAILURE;
}

int serveModule(StringRef Module, StringRef Table, unsigned Level, StringRef Words) {
  auto Bitcode = MemoryBuffer::getFile(Module);
  auto Lines = MemoryBuffer::getFile(Table);
  if (!Bitcode || !Lines) {
    return fail("a file is missing");
  }
  std::vector<std::string> Actions;
  for (StringRef Left = (*Lines)->getBuffer(); !Left.empty();) {
    const auto [Action, Rest] = Left.split('\n');
    Actions.push_back(Action.str());
    Left = Rest;
  }
  Session Now((*Bitcode)->getMemBufferRef(), std::move(Actions), Words);
  if (Error Fault = Now.begin(static_cast<CodeGenOptLevel>(Level))) {
    return fail(toString(std::move(Fault)));
  }
  serve(LongestRequest, [&Now](StringRef Bytes, Answer &Into) { return Now.answer(Bytes, Into); });
  return EXIT_SUCCESS;
}

} // namespace
} // namespace harness

int main(int Count, char **Words) {
  unsigned Level = 0;
  if (Count != 5 || StringRef(Words[3]).getAsInteger(10, Level) || Level > 3) {
    return harness::fail("session MODULE ACTIONS LEVEL VOCABULARY");
  }
  harness::knowTargets();
  return harness::serveModule(Words[1], Words[2], Level, Words[4]);
}
