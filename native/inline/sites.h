// Call sites as the inliner meets them: their identity, the log of what was decided, and a log to follow, one by one
// or as a table.

#ifndef HARNESS_INLINE_SITES_H
#define HARNESS_INLINE_SITES_H

#include "../policy/log.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

// Who decided.
enum class By : char {
  Policy = 'p',
  Mandatory = 'm', // a rule: an attribute; LLVM's own decision where a function calls itself
  Cap = 'c',       // the module has grown too much
  Illegal = 'i',   // it cannot be inlined, or is never reached
  Replaced = 'r',  // the policy's answer was unusable: LLVM's own decision instead
};

// The n-th question about a call of `Callee` in `Caller`; with its position in the whole series its identity.
struct Site {
  unsigned Caller;
  unsigned Callee;
  unsigned Ordinal;
};

struct Decision {
  Site Where;
  bool Inline;
  By Who;
};

// Functions by number, in the order in which they are met.
class Names {
public:
  unsigned number(llvm::StringRef Name);
  // The number of one that was met; of another, one that none has.
  unsigned find(llvm::StringRef Name) const;
  const std::string &name(unsigned Number) const { return Known[Number]; }
  size_t size() const { return Known.size(); }

private:
  llvm::StringMap<unsigned> Numbers;
  std::vector<std::string> Known;
};

// Gives call sites their identity, in the order in which they are asked about.
class Series {
public:
  Site next(llvm::StringRef Caller, llvm::StringRef Callee);
  uint64_t length() const { return Length; }
  const Names &names() const { return Functions; }

private:
  Names Functions;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> Asked;
  uint64_t Length = 0;
};

// The file of decisions. Text, a line each: `f NAME` makes a function known, numbered from 0 on;
// `CALLER CALLEE ORDINAL DECISION WHO` is a decision. Names have %xx for what is no printable ASCII.
class Log {
public:
  explicit Log(const std::string &Path) : File(Path, "inline") {}
  void write(const Decision &Decided, const Names &Functions);

private:
  LogFile File;
  size_t Known = 0;
};

// A file of decisions, followed one by one. Ends the compiler with a message where it does not fit.
class Replay {
public:
  explicit Replay(const std::string &Path);
  const Decision &next(const Site &Here, const Names &Met);
  // To be called when there are no more call sites: none of the decisions may be left.
  void finish() const;

private:
  bool fits(const Site &Where, const Site &Here, const Names &Met) const;

  std::vector<Decision> Decisions;
  std::vector<std::string> Functions;
  size_t Position = 0;
};

// A file of decisions as a table, in any order: what to do with a call site of this identity, whenever it is met. Fits
// every module, and says nothing of call sites that it does not have.
class Table {
public:
  static Table read(const std::string &Path);
  explicit Table(llvm::StringRef Text);
  std::optional<bool> find(const Site &Here, const Names &Met) const;

private:
  llvm::StringMap<bool> Decisions;
};

} // namespace harness

#endif
