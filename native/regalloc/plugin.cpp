// The plugin of all policies that decide in Greedy's place, for clang's own code generation on stock LLVM 22:
//
//   clang -fpass-plugin=regalloc.so -mllvm -regalloc-policy=SOURCE ...
//
// Where functions may get another allocator than Greedy, `-mllvm -regalloc=by-function` too. Without `-regalloc-policy`
// it does nothing.

#include "allocators.h"
#include "eviction.h"
#include "provider.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/RegAllocPriorityAdvisor.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

// Its registry is a variable of a template: hidden, the plugin would have one of its own.
#pragma GCC visibility push(default)
#include "llvm/CodeGen/RegAllocRegistry.h"
#pragma GCC visibility pop

using namespace llvm;
using namespace harness;

namespace {

enum class From : uint8_t { Nowhere, Known, Heuristic, Channel, Replay };
enum class About : uint8_t { Priority, Eviction, Function };

cl::opt<From> Policy("regalloc-policy", cl::desc("Where decisions come from"), cl::init(From::Nowhere),
                     cl::values(clEnumValN(From::Known, "known", "-regalloc-policy-function, one of the plugin's own"),
                                clEnumValN(From::Heuristic, "heuristic", "harness_heuristic of -regalloc-policy-file"),
                                clEnumValN(From::Channel, "channel", "a process, over -regalloc-policy-channel"),
                                clEnumValN(From::Replay, "replay", "the decisions in -regalloc-policy-file")));
cl::opt<About> Question("regalloc-policy-question", cl::desc("What the policy is asked"), cl::init(About::Priority),
                        cl::values(clEnumValN(About::Priority, "priority", "the priority of each live range"),
                                   clEnumValN(About::Eviction, "eviction", "what to evict for a live range"),
                                   clEnumValN(About::Function, "function", "what allocates each function")));
cl::opt<std::string> File("regalloc-policy-file", cl::desc("Shared library, or decisions to follow"));
cl::opt<std::string> Function("regalloc-policy-function",
                              cl::desc("Name of a function of the plugin's, or an allocator"), cl::init("default"));
cl::opt<std::string> Values("regalloc-policy-values", cl::desc("Hyperparameters of a heuristic: NAME=VALUE,..."));
cl::opt<std::string> Written("regalloc-policy-log", cl::desc("Write the decisions to this file"));
cl::opt<std::string> Features("regalloc-policy-features", cl::desc("Write the features to this file"));
cl::opt<int> ChannelFrom("regalloc-policy-channel-from", cl::desc("Descriptor that answers come from"), cl::init(-1));
cl::opt<int> ChannelTo("regalloc-policy-channel-to", cl::desc("Descriptor that questions go to"), cl::init(-1));
cl::opt<int> Reply("regalloc-policy-reply", cl::desc("Milliseconds for each answer"), cl::init(1000));
cl::opt<int> Total("regalloc-policy-total", cl::desc("Milliseconds of waiting for all answers"), cl::init(60000));

// What decides is the last that is opened: it may confine the process.
Setting setting() {
  const ChannelLimits Limits{Reply, Total};
  Setting With;
  With.Written = Written.empty() ? nullptr : std::make_unique<Writer>(Written);
  With.Features = Features.empty() ? nullptr : std::make_unique<FeatureLog>(Features);
  With.Followed = Policy == From::Replay ? std::make_unique<Decisions>(File) : nullptr;
  With.IsRemote = Policy == From::Channel;
  if (Question == About::Eviction) {
    With.Decider = knownSource("default"); // an eviction advisor has who decides
  } else if (Policy == From::Known) {
    With.Everywhere = Function;
  } else if (Policy == From::Heuristic && Question == About::Function) {
    With.Choosing = heuristicChooser(File, Values);
  } else if (Policy == From::Heuristic) {
    With.Decider = heuristicSource(File, Values);
  } else if (Policy == From::Channel && Question == About::Function) {
    With.Choosing = channelChooser(ChannelFrom, ChannelTo, Limits);
  } else if (Policy == From::Channel) {
    With.Decider = channelSource(ChannelFrom, ChannelTo, Limits);
  }
  return With;
}

std::unique_ptr<EvictionSource> evictionSource() {
  switch (Policy) {
  case From::Heuristic:
    return heuristicEvictions(File, Values);
  case From::Channel:
    return channelEvictions(ChannelFrom, ChannelTo, {Reply, Total});
  default:
    if (std::unique_ptr<EvictionSource> Known = knownEvictions(Function)) {
      return Known;
    }
    report_fatal_error(Twine("regalloc plugin: there is no eviction function ") + Function, /*gen_crash_diag=*/false);
  }
}

// Who decides about evictions. Features are written of Greedy's own too, unless a submission is in this process: by
// then it is confined, and LLVM's advisor cannot open its files.
EvictionProvider::Maker maker() {
  if (Policy != From::Replay && Question == About::Eviction) {
    return evictionSource;
  }
  if (!Features.empty() && Policy != From::Heuristic) {
    return [] { return knownEvictions("default"); };
  }
  return nullptr;
}

// Of the module that is compiled: both advisors have it.
std::shared_ptr<Session> session() {
  static std::weak_ptr<Session> Current;
  std::shared_ptr<Session> Shared = Current.lock();
  if (!Shared) {
    Current = Shared = std::make_shared<Session>(setting());
  }
  return Shared;
}

class Analysis : public RegAllocPriorityAdvisorAnalysisLegacy {
public:
  Analysis() : RegAllocPriorityAdvisorAnalysisLegacy(AdvisorMode::Default) {}

  bool doInitialization(Module & /*M*/) override {
    Shared = session();
    Provider = std::make_unique<::Provider>(Shared);
    return false;
  }

  bool doFinalization(Module & /*M*/) override {
    Shared->finish();
    return false;
  }

private:
  std::shared_ptr<Session> Shared;
};

class EvictionAnalysis : public RegAllocEvictionAdvisorAnalysisLegacy {
public:
  EvictionAnalysis() : RegAllocEvictionAdvisorAnalysisLegacy(AdvisorMode::Default) {}

  bool doInitialization(Module &M) override {
    Provider = std::make_unique<EvictionProvider>(M.getContext(), session(), maker());
    return false;
  }
};

PassInfo::NormalCtor_t Stock;
PassInfo::NormalCtor_t StockEvictions;

Pass *analysis() { return Policy == From::Nowhere ? Stock() : new Analysis(); }
Pass *evictions() { return Policy == From::Nowhere ? StockEvictions() : new EvictionAnalysis(); }

// LLVM makes an advisor by what its registry has of the analysis: from now on, that is ours.
PassInfo::NormalCtor_t replace(const void *Analysis, PassInfo::NormalCtor_t Ours) {
  const PassInfo *Known = PassRegistry::getPassRegistry()->getPassInfo(Analysis);
  if (Known == nullptr) {
    report_fatal_error("regalloc plugin: this LLVM lacks an advisor of Greedy's", /*gen_crash_diag=*/false);
  }
  const PassInfo::NormalCtor_t Theirs = Known->getNormalCtor();
  const_cast<PassInfo *>(Known)->setNormalCtor(Ours); // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return Theirs;
}

FunctionPass *allocators() { return Policy == From::Nowhere ? createGreedyRegisterAllocator() : new Allocators(); }

RegisterRegAlloc Registered(ByFunction, "what was decided for each function", allocators);

void install() {
  PassRegistry &Registry = *PassRegistry::getPassRegistry();
  initializeRegAllocPriorityAdvisorAnalysisLegacyPass(Registry);
  initializeRegAllocEvictionAdvisorAnalysisLegacyPass(Registry);
  Stock = replace(&RegAllocPriorityAdvisorAnalysisLegacy::ID, analysis);
  StockEvictions = replace(&RegAllocEvictionAdvisorAnalysisLegacy::ID, evictions);
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  install();
  return {LLVM_PLUGIN_API_VERSION, "regalloc-policy", LLVM_VERSION_STRING, [](PassBuilder & /*Builder*/) {}};
}
