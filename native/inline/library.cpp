// Decisions of code in the compiler's own process: LLVM's heuristic, a compiled model, a submitted function.

#include "source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <dlfcn.h>
#include <vector>

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

class Model : public Source {
public:
  explicit Model(const std::string &Library)
      : Function(reinterpret_cast<decltype(Function)>(symbol(Library, "policy_decide"))) {
    const auto *Marks = static_cast<const unsigned char *>(symbol(Library, "policy_uses"));
    for (size_t Index = 0; Index < NumFeatures; ++Index) {
      if (Marks[Index] != 0) {
        Uses.push_back(Index);
      }
    }
  }

  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override {
    for (const size_t Index : Uses) {
      Values[Index] = Context.feature(static_cast<FeatureIndex>(Index));
    }
    return Function(Values.data()) != 0;
  }

  bool wantsPartsOnly() const override {
    return any_of(Uses, isCostPart) && !is_contained(Uses, static_cast<size_t>(FeatureIndex::cost_estimate));
  }

private:
  int64_t (*Function)(const int64_t *);
  std::vector<size_t> Uses;
  std::array<int64_t, NumFeatures> Values{};
};

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

std::unique_ptr<Source> modelSource(const std::string &Library) { return std::make_unique<Model>(Library); }

std::unique_ptr<Source> heuristicSource(const std::string &Library) { return std::make_unique<Heuristic>(Library); }

} // namespace harness
