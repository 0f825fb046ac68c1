#include "library.h"
#include "confine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <dlfcn.h>

using namespace llvm;

namespace harness {
namespace {

[[noreturn]] void fail(const char *Plugin, const Twine &Message) {
  report_fatal_error(Twine(Plugin) + " plugin: " + Message, /*gen_crash_diag=*/false);
}

void *symbol(void *Handle, const char *Name, const char *Plugin) {
  void *Found = dlsym(Handle, Name);
  if (Found == nullptr) {
    fail(Plugin, dlerror());
  }
  return Found;
}

} // namespace

void *loadHeuristic(const std::string &Library, const std::string &Values, const char *Plugin) {
  confine(Confinement::Loading);
  void *Handle = dlopen(Library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (Handle == nullptr) {
    fail(Plugin, dlerror());
  }
  confine(Confinement::Loaded);
  void *Function = symbol(Handle, "harness_heuristic", Plugin);
  const auto Set = reinterpret_cast<bool (*)(const char *, double)>(symbol(Handle, "harness_set", Plugin));
  for (const StringRef One : split(Values, ',')) {
    const auto [Name, Text] = One.split('=');
    double Value = 0;
    if (!One.empty() && (Text.getAsDouble(Value) || !Set(Name.str().c_str(), Value))) {
      fail(Plugin, Twine("cannot set ") + One);
    }
  }
  return Function;
}

} // namespace harness
