// Files of decisions: text, a line each.

#ifndef HARNESS_POLICY_LOG_H
#define HARNESS_POLICY_LOG_H

#include "llvm/ADT/StringRef.h"
#include <cstdio>
#include <string>

namespace harness {

// A name as one word: %xx for what is no printable ASCII.
std::string escaped(llvm::StringRef Name);
std::string unescaped(llvm::StringRef Text);

// A file that is written. Ends the compiler, as this plugin, where it cannot be.
class LogFile {
public:
  LogFile(const std::string &Path, const char *Plugin);
  LogFile(const LogFile &) = delete;
  LogFile &operator=(const LogFile &) = delete;
  ~LogFile();
  std::FILE *get() const { return File; }

private:
  std::FILE *File;
  const char *Plugin;
};

// Ends the compiler: the decisions do not belong to this module.
[[noreturn]] void diverge(const std::string &Message);

} // namespace harness

#endif
