// Decisions of code in the compiler's own process: LLVM's heuristic, a submitted function.

#include "source.h"
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

void *symbol(const std::string &Library, const char *Name) {
  void *Handle = dlopen(Library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *Found = Handle == nullptr ? nullptr : dlsym(Handle, Name);
  if (Found == nullptr) {
    report_fatal_error(Twine("inline plugin: ") + dlerror(), /*gen_crash_diag=*/false);
  }
  return Found;
}

class Heuristic : public Source {
public:
  explicit Heuristic(const std::string &Library)
      : Function(reinterpret_cast<decltype(Function)>(symbol(Library, "harness_heuristic"))) {}

  std::optional<bool> decide(CallBase &CB, PolicyContext &Context) override { return Function(&CB, &Context); }

private:
  bool (*Function)(CallBase *, PolicyContext *);
};

} // namespace

std::unique_ptr<Source> defaultSource() { return std::make_unique<Default>(); }

std::unique_ptr<Source> heuristicSource(const std::string &Library) { return std::make_unique<Heuristic>(Library); }

} // namespace harness
