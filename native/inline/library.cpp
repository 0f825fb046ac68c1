// Decisions of code in the compiler's own process: LLVM's heuristic, a submitted function.

#include "confine.h"
#include "source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <dlfcn.h>

using namespace llvm;

namespace harness {
namespace {

class Default : public Source {
public:
  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override { return Context.defaultDecision(); }
};

[[noreturn]] void fail(const Twine &Message) {
  report_fatal_error(Twine("inline plugin: ") + Message, /*gen_crash_diag=*/false);
}

void *open(const std::string &Library) {
  void *Handle = dlopen(Library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (Handle == nullptr) {
    fail(dlerror());
  }
  return Handle;
}

void *symbol(void *Handle, const char *Name) {
  void *Found = dlsym(Handle, Name);
  if (Found == nullptr) {
    fail(dlerror());
  }
  return Found;
}

// A submission's function. The library is loaded by nobody else and not before the process is confined: its
// constructors run when it is loaded.
class Heuristic : public Source {
public:
  Heuristic(const std::string &Library, StringRef Values) {
    confine(Confinement::Loading);
    void *Handle = open(Library);
    confine(Confinement::Loaded);
    Function = reinterpret_cast<decltype(Function)>(symbol(Handle, "harness_heuristic"));
    const auto Set = reinterpret_cast<bool (*)(const char *, double)>(symbol(Handle, "harness_set"));
    for (const StringRef One : split(Values, ',')) {
      const auto [Name, Text] = One.split('=');
      double Value = 0;
      if (!One.empty() && (Text.getAsDouble(Value) || !Set(Name.str().c_str(), Value))) {
        fail(Twine("cannot set ") + One);
      }
    }
  }

  std::optional<bool> decide(CallBase &CB, PolicyContext &Context) override { return Function(&CB, &Context); }

private:
  bool (*Function)(CallBase *, PolicyContext *);
};

} // namespace

std::unique_ptr<Source> defaultSource() { return std::make_unique<Default>(); }

std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic>(Library, Values);
}

} // namespace harness
