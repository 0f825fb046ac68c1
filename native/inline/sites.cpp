#include "sites.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include <tuple>

using namespace llvm;

namespace harness {

unsigned Names::number(StringRef Name) {
  const auto [Entry, New] = Numbers.try_emplace(Name, Known.size());
  if (New) {
    Known.push_back(Name.str());
  }
  return Entry->second;
}

unsigned Names::find(StringRef Name) const {
  const auto Entry = Numbers.find(Name);
  return Entry == Numbers.end() ? ~0U : Entry->second;
}

Site Series::next(StringRef Caller, StringRef Callee) {
  const unsigned From = Functions.number(Caller);
  const unsigned To = Functions.number(Callee);
  ++Length;
  return {From, To, Asked[{From, To}]++};
}

void Log::write(const Decision &Decided, const Names &Functions) {
  for (; Known < Functions.size(); ++Known) {
    (void)std::fprintf(File.get(), "f %s\n", escaped(Functions.name(Known)).c_str());
  }
  const Site &Where = Decided.Where;
  (void)std::fprintf(File.get(), "%u %u %u %d %c\n", Where.Caller, Where.Callee, Where.Ordinal, Decided.Inline ? 1 : 0,
                     static_cast<char>(Decided.Who));
}

namespace {

std::optional<Decision> parsed(StringRef Line) {
  SmallVector<StringRef, 5> Words;
  Line.split(Words, ' ');
  Decision Read{{}, false, By::Illegal};
  unsigned Inline = 0;
  if (Words.size() != 5 || Words[0].getAsInteger(10, Read.Where.Caller) ||
      Words[1].getAsInteger(10, Read.Where.Callee) || Words[2].getAsInteger(10, Read.Where.Ordinal) ||
      Words[3].getAsInteger(10, Inline) || Words[4].size() != 1) {
    return std::nullopt;
  }
  Read.Inline = Inline != 0;
  Read.Who = static_cast<By>(Words[4].front());
  return Read;
}

std::unique_ptr<MemoryBuffer> contents(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer) {
    report_fatal_error(Twine("inline plugin: cannot read ") + Path, /*gen_crash_diag=*/false);
  }
  return std::move(*Buffer);
}

// Functions and decisions of a file's text.
std::pair<std::vector<std::string>, std::vector<Decision>> readLog(StringRef Text) {
  std::vector<std::string> Functions;
  std::vector<Decision> Decisions;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (Line.consume_front("f ")) {
      Functions.push_back(unescaped(Line));
    } else if (const auto Read = parsed(Line);
               Read && Read->Where.Caller < Functions.size() && Read->Where.Callee < Functions.size()) {
      Decisions.push_back(*Read);
    } else {
      diverge("not a decision: '" + Line.str() + "'");
    }
  }
  return {std::move(Functions), std::move(Decisions)};
}

} // namespace

Replay::Replay(const std::string &Path) { std::tie(Functions, Decisions) = readLog(contents(Path)->getBuffer()); }

const Decision &Replay::next(const Site &Here, const Names &Met) {
  const auto Found = [&] {
    return "a call of " + Met.name(Here.Callee) + " in " + Met.name(Here.Caller) + " (the " +
           std::to_string(Here.Ordinal + 1) + ". question about one)";
  };
  const std::string At = Position == Decisions.size() || !fits(Decisions[Position].Where, Here, Met)
                             ? "call site " + std::to_string(Position) + " of the module is " + Found() + ", "
                             : std::string();
  if (Position == Decisions.size()) {
    diverge(At + "and there are no more decisions");
  }
  const Decision &Next = Decisions[Position++];
  if (!At.empty()) {
    diverge(At + "and the decision is on a call of " + Functions[Next.Where.Callee] + " in " +
            Functions[Next.Where.Caller] + " (the " + std::to_string(Next.Where.Ordinal + 1) + ".)");
  }
  return Next;
}

bool Replay::fits(const Site &Where, const Site &Here, const Names &Met) const {
  return Functions[Where.Caller] == Met.name(Here.Caller) && Functions[Where.Callee] == Met.name(Here.Callee) &&
         Where.Ordinal == Here.Ordinal;
}

void Replay::finish() const {
  if (Position < Decisions.size()) {
    diverge("the module has " + std::to_string(Position) + " call sites, the decisions " +
            std::to_string(Decisions.size()));
  }
}

namespace {

std::string identity(StringRef Caller, StringRef Callee, unsigned Ordinal) {
  return (escaped(Caller) + " " + escaped(Callee) + " " + Twine(Ordinal)).str();
}

} // namespace

Table Table::read(const std::string &Path) { return Table(contents(Path)->getBuffer()); }

Table::Table(StringRef Text) {
  const auto [Functions, Given] = readLog(Text);
  for (const auto &[Where, Inline, Who] : Given) {
    Decisions[identity(Functions[Where.Caller], Functions[Where.Callee], Where.Ordinal)] = Inline;
  }
}

std::optional<bool> Table::find(const Site &Here, const Names &Met) const {
  const auto Found = Decisions.find(identity(Met.name(Here.Caller), Met.name(Here.Callee), Here.Ordinal));
  return Found == Decisions.end() ? std::nullopt : std::optional<bool>(Found->second);
}

} // namespace harness
