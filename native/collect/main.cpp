// A worker that compiles one module after the other, each under a policy that it was given, and says what was decided
// and what became of it. It runs in the sandbox.
//
//   collect OPTION...
//
// The options are LLVM's, those that runs have.
//
// Requests and answers have the form of `../module/wire.h`, with 0 for a line:
//
//   policy    a network (network.h)              -> nothing
//   compile   how uint8, flags uint8, heat float32, seed uint64; how many functions are decided, uint32, and of each
//             its number, uint32, and whether calls of it are inlined, uint32; size uint32 of a table, the table;
//             bitcode
//             -> what `say` says
//
// How: 0 LLVM's own heuristic; 1 the network; 2 a table of decisions (../inline/sites.h), LLVM's heuristic for what it
// does not have. Flags: 1 all features but those of trials, not those of the network; 2 the decisions as a table; 4
// what each function consists of (../inline/size.h); 8 one question for all calls of a function; 16 functions that are
// called in the module are called nowhere else, as in a whole program.

#include "../inline/size.h"
#include "../module/serve.h"
#include "compile.h"
#include "network.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace llvm;

namespace harness {
namespace {

constexpr uint32_t LongestRequest = 1 << 28;
constexpr auto Decisions = "decisions";

enum class Wanted : uint8_t { Policy, Compile };
enum class How : uint8_t { Heuristic, Network, Table };
enum Flag : uint8_t { AllFeatures = 1, WithDecisions = 2, WithParts = 4, OnceForCallee = 8, Closed = 16 };

struct Step {
  uint32_t Caller;
  uint32_t Callee;
  float Logit;
  bool Inline;
  std::vector<int64_t> Features;
};

// Decisions by LLVM's heuristic or by a network, the latter by chance if it is heated: the logit is divided by `Heat`
// and is the logarithm of the odds then. Keeps what was asked.
class Observed : public Source {
public:
  Observed(const Functions &Known, const DenseMap<uint32_t, bool> &Forced, ArrayRef<size_t> Uses,
           const Network *Decides, float Heat, uint64_t Seed)
      : Known(Known), Forced(Forced), Uses(Uses), Decides(Decides), Heat(Heat), Seed(Seed) {}

  std::optional<bool> decide(CallBase &CB, PolicyContext &Context) override {
    Step Made{Known.number(*CB.getCaller()), Known.number(*CB.getCalledFunction()), 0, false, {}};
    Made.Features = features(Uses, Context);
    if (Decides != nullptr) {
      Made.Logit = Decides->logit(features(Decides->uses(), Context));
    }
    if (const auto Given = Forced.find(Made.Callee); Given != Forced.end()) {
      Made.Inline = Given->second;
    } else if (Decides == nullptr) {
      Made.Inline = Context.defaultDecision();
    } else {
      Made.Inline = Heat == 0 ? Made.Logit > 0 : chance() < 1 / (1 + std::exp(-Made.Logit / Heat));
    }
    Steps.push_back(Made);
    return Made.Inline;
  }

  ArrayRef<Step> steps() const { return Steps; }

private:
  static std::vector<int64_t> features(ArrayRef<size_t> Wanted, PolicyContext &Context) {
    std::vector<int64_t> Values;
    for (const size_t Index : Wanted) {
      Values.push_back(Context.featureAt(Index));
    }
    return Values;
  }

  // In [0, 1), of the seed and of how many questions there were.
  double chance() const {
    const std::array<uint64_t, 2> Of = {Seed, Steps.size()};
    const uint64_t Hash = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Of.data()), sizeof Of));
    return static_cast<double>(Hash >> 11U) * 0x1p-53;
  }

  const Functions &Known;
  const DenseMap<uint32_t, bool> &Forced;
  ArrayRef<size_t> Uses;
  const Network *Decides;
  float Heat;
  uint64_t Seed;
  std::vector<Step> Steps;
};

// What became of modules that were decided alike before. A training compiles most of its modules so again: networks
// that are nearly the same decide the same.
class Memory {
public:
  bool isKnown(StringRef Key) const { return Kept.contains(Key); }
  StringRef at(StringRef Key) const { return Kept.find(Key)->second; }

  void keep(StringRef Key, std::string What) {
    Bytes += What.size() + PerEntry;
    if (Bytes > Most) {
      Kept.clear();
      Bytes = What.size() + PerEntry;
    }
    Kept[Key] = std::move(What);
  }

private:
  static constexpr size_t Most = 1 << 26;
  static constexpr size_t PerEntry = 100;

  StringMap<std::string> Kept;
  size_t Bytes = 0;
};

class Collector {
public:
  std::optional<std::string> answer(StringRef Bytes, Answer &Into) {
    Request Asked(Bytes);
    const auto Kind = static_cast<Wanted>(Asked.take<uint8_t>());
    (void)Asked.take<uint32_t>();
    switch (Kind) {
    case Wanted::Policy:
      Policy = Network::read(Asked);
      return Policy ? std::nullopt : std::optional<std::string>("this is no network");
    case Wanted::Compile:
      return compile(Asked, Into);
    }
    return Malformed;
  }

private:
  std::optional<std::string> compile(Request &Asked, Answer &Into) {
    const auto Deciding = static_cast<How>(Asked.take<uint8_t>());
    const auto Flags = Asked.take<uint8_t>();
    const auto Heat = Asked.take<float>();
    const auto Seed = Asked.take<uint64_t>();
    DenseMap<uint32_t, bool> Forced;
    for (uint32_t Left = Asked.take<uint32_t>(); Left > 0 && Asked.left() > 0; --Left) {
      const auto Number = Asked.take<uint32_t>();
      Forced[Number] = Asked.take<uint32_t>() != 0;
    }
    const StringRef Table = Asked.bytes(Asked.take<uint32_t>());
    const StringRef Bitcode = Asked.bytes(Asked.left());
    if (!Asked.isWhole() || Deciding > How::Table) {
      return Malformed;
    }
    if (Deciding == How::Network && !Policy) {
      return "no policy was given";
    }
    auto Parsed = Line::parse(MemoryBufferRef(Bitcode, "module"));
    if (!Parsed) {
      return toString(Parsed.takeError());
    }
    Line &On = **Parsed;
    if ((Flags & Closed) != 0) {
      closeOff(On.module());
    }
    Compiler *With = compiler(On.module());
    if (With == nullptr) {
      return "the module is for a target that is not here";
    }
    const Functions Known(On.module());
    const bool ByNetwork = Deciding == How::Network;
    const ArrayRef<size_t> Needed = ByNetwork ? Policy->uses() : ArrayRef<size_t>();
    const ArrayRef<size_t> Uses = (Flags & AllFeatures) != 0 ? ArrayRef(All) : Needed;
    auto Asker = std::make_unique<Observed>(Known, Forced, Uses, ByNetwork ? Policy.get() : nullptr, Heat, Seed);
    const Observed &Seen = *Asker;
    {
      Session Shared;
      Shared.Guide = Deciding == How::Table ? std::make_unique<harness::Table>(Table) : nullptr;
      Shared.Written = (Flags & WithDecisions) == 0 ? nullptr : std::make_unique<Log>(Decisions);
      Shared.Decider = (Flags & OnceForCallee) != 0 ? onceForCallee(std::move(Asker)) : std::move(Asker);
      std::string Decided;
      const auto IsKnown = [&] {
        Decided = keyOf(Bitcode, Table, Flags, Seen);
        return (Flags & WithParts) == 0 && Made.isKnown(Decided);
      };
      if (!optimise(On, *With, Shared, IsKnown)) {
        Made.keep(Decided, sizesIn(Known, Object(On, *With)));
      }
      Into.append(Made.at(Decided));
      say(Seen, Into);
      if ((Flags & WithParts) != 0) {
        sayParts(Known, On.module(), Into);
      }
    }
    if ((Flags & WithDecisions) != 0) {
      Into.append((*MemoryBuffer::getFile(Decisions))->getBuffer());
    }
    return std::nullopt;
  }

  // All that an object depends on: the module, and what was decided, in its order. LLVM's heuristic and a network that
  // decide alike make the same object.
  static std::string keyOf(StringRef Bitcode, StringRef Table, uint8_t Flags, const Observed &Seen) {
    Answer Depends;
    for (const StringRef Bytes : {Bitcode, Table}) {
      const XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Bytes));
      Depends.put(Hash.low64);
      Depends.put(Hash.high64);
    }
    Depends.put(static_cast<uint8_t>(Flags & (OnceForCallee | Closed)));
    for (const Step &One : Seen.steps()) {
      Depends.put(One.Caller);
      Depends.put(One.Callee);
      Depends.put(One.Inline);
    }
    const XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Depends.bytes()));
    Answer Key;
    Key.put(Hash.low64);
    Key.put(Hash.high64);
    return Key.bytes().str();
  }

  // Bytes of the object, uint64: allocated, executed, of the unwind table. A hash of it, uint64. The number of
  // functions, uint32, and of each the bytes of its code and of its part of the unwind table, uint32.
  static std::string sizesIn(const Functions &Known, const Object &Made) {
    Answer Into;
    const Sizes Found = sizesOf(Made);
    Into.put(Found.Allocated);
    Into.put(Found.Executed);
    Into.put(Found.Unwind);
    Into.put(xxh3_64bits(Made.bytes()));
    Into.put(Known.count());
    for (const auto &[Code, Unwind] : Known.bytesIn(Made)) {
      Into.put(Code);
      Into.put(Unwind);
    }
    return Into.bytes().str();
  }

  // The number of questions and of features of each, uint32; of each question caller and callee, uint32, the logit,
  // float32, and the decision, uint32; then of each its features, int64.
  static void say(const Observed &Seen, Answer &Into) {
    Into.put(static_cast<uint32_t>(Seen.steps().size()));
    Into.put(static_cast<uint32_t>(Seen.steps().empty() ? 0 : Seen.steps().front().Features.size()));
    for (const Step &One : Seen.steps()) {
      Into.put(One.Caller);
      Into.put(One.Callee);
      Into.put(One.Logit);
      Into.put(static_cast<uint32_t>(One.Inline));
    }
    for (const Step &One : Seen.steps()) {
      for (const int64_t Feature : One.Features) {
        Into.put(Feature);
      }
    }
  }

  // Of each function: what it consists of before code is generated, int64; zeros for one that is gone.
  static void sayParts(const Functions &Known, const Module &M, Answer &Into) {
    std::vector<SizeParts> Parts(Known.count());
    for (const Function &F : M) {
      if (const uint32_t Number = Known.number(F); Number != Functions::None && !F.isDeclaration()) {
        Parts[Number] = partsOf(F);
      }
    }
    for (const SizeParts &Of : Parts) {
      for (const int64_t Count : Of) {
        Into.put(Count);
      }
    }
  }

  // One for each target.
  Compiler *compiler(const Module &M) {
    std::unique_ptr<Compiler> &Known = Compilers[M.getTargetTriple().str()];
    if (!Known) {
      auto Made = Compiler::create(M, CodeGenOptLevel::Default);
      if (!Made) {
        consumeError(Made.takeError());
        return nullptr;
      }
      Known = std::move(*Made);
    }
    return Known.get();
  }

  static constexpr const char *Malformed = "this is no request";

  const std::vector<size_t> All = [] {
    std::vector<size_t> Each(NumStaticFeatures);
    std::iota(Each.begin(), Each.end(), 0);
    return Each;
  }();
  StringMap<std::unique_ptr<Compiler>> Compilers;
  Memory Made;
  std::unique_ptr<Network> Policy;
};

} // namespace
} // namespace harness

int main(int Count, char **Words) {
  llvm::cl::ParseCommandLineOptions(Count, Words);
  harness::knowTargets();
  harness::Collector Here;
  harness::serve(harness::LongestRequest,
                 [&Here](llvm::StringRef Bytes, harness::Answer &Into) { return Here.answer(Bytes, Into); });
  return EXIT_SUCCESS;
}
