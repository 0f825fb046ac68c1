// Where answers come from, whatever is asked: what the sources of priorities (source.h), of evictions (evicting.h) and
// of allocations (chooser.h) share.

#ifndef HARNESS_REGALLOC_SOURCES_H
#define HARNESS_REGALLOC_SOURCES_H

#include "../policy/channel.h"
#include "../policy/library.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace harness {

// Who answers a question about something of LLVM's: one object for each way, made from the plugin's options.
template <typename AboutWhat, typename Seen, typename Said> class SourceOf {
public:
  using Subject = AboutWhat;
  using Context = Seen;
  using Answer = Said;

  SourceOf() = default;
  SourceOf(const SourceOf &) = delete;
  SourceOf &operator=(const SourceOf &) = delete;
  virtual ~SourceOf() = default;
  // Nothing when there is no usable answer.
  virtual std::optional<Answer> decide(const Subject &About, Context &Here) = 0;
};

// A function that the plugin has itself. It needs nothing but the context.
template <typename Source, typename Context> class Known final : public Source {
public:
  using Function = typename Source::Answer (*)(Context &);

  explicit Known(Function Ours) : Ours(Ours) {}

  std::optional<typename Source::Answer> decide(const typename Source::Subject & /*About*/,
                                                typename Source::Context &Here) override {
    return Ours(Here);
  }

private:
  Function Ours;
};

// Null where there is no function.
template <typename Source, typename Context>
std::unique_ptr<Source> knownOrNull(typename Source::Answer (*Function)(Context &)) {
  return Function == nullptr ? nullptr : std::make_unique<Known<Source, Context>>(Function);
}

constexpr auto Plugin = "regalloc"; // in messages

// The next two are of a `Question`, a class that has
//
//   Source                     the `SourceOf` that is made
//   Returned                   what a submission's function gives
//   Word                       what the word is that another process answers with
//   Names                      of the features
//   Words                      how many words they are, in a question to another process
//   tell(Here, Uses, Words)    writes those features that it wants
//   usable(Word, Here)         the answer, if it is one

// `harness_heuristic` of a shared library: a submission's function. `Values`: of its hyperparameters, `NAME=VALUE,...`.
// From then on the process is confined.
template <typename Question, typename Source = typename Question::Source> class Heuristic final : public Source {
public:
  Heuristic(const std::string &Library, const std::string &Values)
      : Function(reinterpret_cast<decltype(Function)>(loadHeuristic(Library, Values, Plugin))) {}

  std::optional<typename Source::Answer> decide(const typename Source::Subject &About,
                                                typename Source::Context &Here) override {
    return Question::usable(Function(&About, &Here), Here);
  }

private:
  typename Question::Returned (*Function)(const typename Source::Subject *, typename Source::Context *);
};

// A process at the other end of two descriptors. Whatever it does, each question has an end.
template <typename Question, typename Source = typename Question::Source> class Remote final : public Source {
public:
  Remote(int From, int To, ChannelLimits Limits) : Asked(From, To, Limits, Question::Names, Plugin) {}

  std::optional<typename Source::Answer> decide(const typename Source::Subject & /*About*/,
                                                typename Source::Context &Here) override {
    if (!Asked.isOpen()) {
      return std::nullopt;
    }
    Question::tell(Here, Asked.uses(), Words);
    const auto Usable = [&](int64_t Word) {
      return Question::usable(llvm::bit_cast<typename Question::Word>(Word), Here);
    };
    const std::optional<int64_t> Answer = Asked.ask(Words, [&](int64_t Word) { return Usable(Word).has_value(); });
    return Answer ? Usable(*Answer) : std::nullopt;
  }

private:
  Channel Asked;
  std::array<int64_t, Question::Words> Words{};
};

// The word of a feature that is a number: an int64, or the bits of a float32.
template <typename Type> int64_t word(double Value) {
  if constexpr (std::is_same_v<Type, float>) {
    return static_cast<int64_t>(llvm::bit_cast<uint32_t>(static_cast<float>(Value)));
  } else {
    return static_cast<int64_t>(Value);
  }
}

using WordOf = int64_t (*)(double);

// `Question::tell` where all features are numbers. `As`: the `word` of each.
template <typename Feature, typename Context>
void tellNumbers(Context &Here, llvm::ArrayRef<size_t> Uses, llvm::ArrayRef<WordOf> As,
                 llvm::MutableArrayRef<int64_t> Words) {
  for (const size_t Index : Uses) {
    Words[Index] = As[Index](Here.feature(static_cast<Feature>(Index)));
  }
}

} // namespace harness

#endif
