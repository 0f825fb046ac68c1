#include "source.h"
#include "../policy/library.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <array>

using namespace llvm;

namespace harness {
namespace {

constexpr auto Plugin = "inline";

constexpr std::array<const char *, NumAllFeatures> FeatureNames = {
#define NAME(TYPE, SHAPE, NAME, TEXT) #NAME,
    INLINE_COST_FEATURE_ITERATOR(NAME) INLINE_FEATURE_ITERATOR(NAME)
#undef NAME
#define NAME(NAME) #NAME,
        HARNESS_CALLEE_FEATURES(NAME) HARNESS_TRIAL_FEATURES(NAME)
#undef NAME
};

class Default : public Source {
public:
  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override { return Context.defaultDecision(); }
};

class Heuristic : public Source {
public:
  Heuristic(const std::string &Library, const std::string &Values)
      : Function(reinterpret_cast<decltype(Function)>(loadHeuristic(Library, Values, Plugin))) {}

  std::optional<bool> decide(CallBase &CB, PolicyContext &Context) override { return Function(&CB, &Context); }

private:
  bool (*Function)(CallBase *, PolicyContext *);
};

class Remote : public Source {
public:
  Remote(int From, int To, ChannelLimits Limits) : Asked(From, To, Limits, FeatureNames, Plugin) {}

  bool wantsPartsOnly() const override {
    return any_of(Asked.uses(), isCostPart) &&
           !is_contained(Asked.uses(), static_cast<size_t>(FeatureIndex::cost_estimate));
  }

  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override {
    if (!Asked.isOpen()) {
      return std::nullopt;
    }
    for (const size_t Index : Asked.uses()) {
      Features[Index] = Context.featureAt(Index);
    }
    const std::optional<int64_t> Answer = Asked.ask(Features, [](int64_t Word) { return Word == 0 || Word == 1; });
    return Answer ? std::optional<bool>(*Answer == 1) : std::nullopt;
  }

private:
  Channel Asked;
  std::array<int64_t, NumAllFeatures> Features{};
};

class Once : public Source {
public:
  explicit Once(std::unique_ptr<Source> Asked) : Asked(std::move(Asked)) {}

  bool wantsPartsOnly() const override { return Asked->wantsPartsOnly(); }

  std::optional<bool> decide(CallBase &CB, PolicyContext &Context) override {
    const StringRef Callee = CB.getCalledFunction()->getName();
    if (const auto Known = Decided.find(Callee); Known != Decided.end()) {
      return Known->second;
    }
    const std::optional<bool> Answer = Asked->decide(CB, Context);
    if (Answer) {
      Decided[Callee] = *Answer;
    }
    return Answer;
  }

private:
  std::unique_ptr<Source> Asked;
  StringMap<bool> Decided;
};

} // namespace

std::unique_ptr<Source> onceForCallee(std::unique_ptr<Source> Asked) {
  return std::make_unique<Once>(std::move(Asked));
}

std::unique_ptr<Source> defaultSource() { return std::make_unique<Default>(); }

std::unique_ptr<Source> heuristicSource(const std::string &Library, const std::string &Values) {
  return std::make_unique<Heuristic>(Library, Values);
}

std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Remote>(From, To, Limits);
}

} // namespace harness
