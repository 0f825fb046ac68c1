#include "log.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace harness {

std::string escaped(StringRef Name) {
  std::string Text;
  for (const char Character : Name) {
    if (Character > ' ' && Character < 0x7f && Character != '%') {
      Text += Character;
    } else {
      Text += '%';
      Text += toHex(StringRef(&Character, 1), /*LowerCase=*/true);
    }
  }
  return Text;
}

std::string unescaped(StringRef Text) {
  std::string Name;
  while (!Text.empty()) {
    uint8_t Byte = 0;
    if (Text.consume_front("%") && !Text.substr(0, 2).getAsInteger(16, Byte)) {
      Name += static_cast<char>(Byte);
      Text = Text.drop_front(2);
    } else {
      Name += Text.front();
      Text = Text.drop_front();
    }
  }
  return Name;
}

LogFile::LogFile(const std::string &Path, const char *Plugin) : File(std::fopen(Path.c_str(), "we")), Plugin(Plugin) {
  if (File == nullptr) {
    report_fatal_error(Twine(Plugin) + " plugin: cannot write " + Path, /*gen_crash_diag=*/false);
  }
}

LogFile::~LogFile() {
  const bool Torn = std::ferror(File) != 0; // what failed before is not among the reasons of fclose
  if (std::fclose(File) != 0 || Torn) {
    report_fatal_error(Twine(Plugin) + " plugin: the log of decisions could not be written", /*gen_crash_diag=*/false);
  }
}

void diverge(const std::string &Message) {
  report_fatal_error(Twine("not-replayable: ") + Message, /*gen_crash_diag=*/false);
}

} // namespace harness
