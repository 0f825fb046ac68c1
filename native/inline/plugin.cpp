// The plugin of all inlining policies, for clang's own pipeline on stock LLVM 22:
//
//   clang -fpass-plugin=inline.so -mllvm -inline-policy=SOURCE ...
//
// Without `-inline-policy` it does nothing.

#include "advisor.h"
#include "llvm/Analysis/InlineAdvisor.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace harness;

namespace {

enum class From : uint8_t { Nowhere, Default, Heuristic, Channel, Replay, Table, Upstream };

cl::opt<From>
    Policy("inline-policy", cl::desc("Where inlining decisions come from"), cl::init(From::Nowhere),
           cl::values(clEnumValN(From::Default, "default", "LLVM's own heuristic"),
                      clEnumValN(From::Heuristic, "heuristic", "harness_heuristic of -inline-policy-file"),
                      clEnumValN(From::Channel, "channel", "a process, over -inline-policy-channel"),
                      clEnumValN(From::Replay, "replay", "the decisions in -inline-policy-file"),
                      clEnumValN(From::Table, "table",
                                 "those in -inline-policy-file, by identity; LLVM's own where it has none"),
                      clEnumValN(From::Upstream, "upstream", "as default, with features as LLVM takes them")));
enum class About : uint8_t { Call, Callee };
cl::opt<About>
    Question("inline-policy-question", cl::desc("What is asked about"), cl::init(About::Call),
             cl::values(clEnumValN(About::Call, "call", "each call"),
                        clEnumValN(About::Callee, "callee", "the first call of each function, for all of them")));
cl::opt<std::string> File("inline-policy-file", cl::desc("Shared library, or decisions to follow"));
cl::opt<std::string> Values("inline-policy-values", cl::desc("Hyperparameters of a heuristic: NAME=VALUE,..."));
cl::opt<std::string> Written("inline-policy-log", cl::desc("Write the decisions to this file"));
cl::opt<std::string> Features("inline-policy-features", cl::desc("Write the features to this file"));
cl::opt<bool> ShareWalks("inline-policy-share-walks", cl::desc("One walk through a callee for calls that are alike"),
                         cl::init(true));
cl::opt<double> TrialShare("inline-policy-trials",
                           cl::desc("Instructions that trials may compile, times the module's; 0: there are no trials"),
                           cl::init(0));
cl::opt<bool> TrialWhole("inline-policy-trial-whole",
                         cl::desc("Try functions in the whole module where all of them can be"), cl::init(true));
cl::opt<int> ChannelFrom("inline-policy-channel-from", cl::desc("Descriptor that answers come from"), cl::init(-1));
cl::opt<int> ChannelTo("inline-policy-channel-to", cl::desc("Descriptor that questions go to"), cl::init(-1));
cl::opt<int> Reply("inline-policy-reply", cl::desc("Milliseconds for each answer"), cl::init(1000));
cl::opt<int> Total("inline-policy-total", cl::desc("Milliseconds of waiting for all answers"), cl::init(60000));

std::unique_ptr<Source> source() {
  switch (Policy) {
  case From::Heuristic:
    return heuristicSource(File, Values);
  case From::Channel:
    return channelSource(ChannelFrom, ChannelTo, {Reply, Total});
  case From::Replay:
  case From::Table:
    return nullptr;
  default:
    return defaultSource();
  }
}

// One for the process: a compiler compiles one module, but may make several advisors.
Session &session() {
  static Session Only = [] {
    Session New;
    New.Followed = Policy == From::Replay ? std::make_unique<Replay>(File) : nullptr;
    New.Guide = Policy == From::Table ? std::make_unique<Table>(Table::read(File)) : nullptr;
    New.Written = Written.empty() ? nullptr : std::make_unique<Log>(Written);
    New.Features = Features.empty() ? nullptr : std::make_unique<FeatureLog>(Features);
    if (TrialShare > 0) {
      New.Tried.emplace(TrialShare, TrialWhole);
    }
    New.UpstreamFeatures = Policy == From::Upstream;
    New.ShareWalks = ShareWalks;
    New.Decider = source(); // the last that is opened: it may confine the process
    if (New.Decider && Question == About::Callee) {
      New.Decider = onceForCallee(std::move(New.Decider));
    }
    return New;
  }();
  return Only;
}

// The factory gets no module analyses, and the advisor needs them.
thread_local ModuleAnalysisManager *Analyses;

InlineAdvisor *advisor(Module &M, FunctionAnalysisManager & /*FAM*/, InlineParams Params, InlineContext /*IC*/) {
  return new Advisor(M, *Analyses, Params, session());
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "inline-policy", LLVM_VERSION_STRING, [](PassBuilder &Builder) {
            if (Policy == From::Nowhere) {
              return;
            }
            Builder.registerAnalysisRegistrationCallback([](ModuleAnalysisManager &MAM) {
              Analyses = &MAM;
              MAM.registerPass([] { return PluginInlineAdvisorAnalysis(advisor); });
            });
          }};
}
