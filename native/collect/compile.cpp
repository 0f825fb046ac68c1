#include "compile.h"
#include "llvm/Analysis/InlineAdvisor.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace harness {
namespace {

// The factory of advisors is a plain function: what it needs of the compilation that runs.
struct Running {
  ModuleAnalysisManager &Analyses;
  Session &Deciding;
};
Running *Now = nullptr;

InlineAdvisor *advisor(Module &M, FunctionAnalysisManager & /*FAM*/, InlineParams Params, InlineContext /*IC*/) {
  return new Advisor(M, Now->Analyses, Params, Now->Deciding);
}

// Asks once, and changes nothing.
class Inquiry : public PassInfoMixin<Inquiry> {
public:
  Inquiry(function_ref<bool()> IsKnown, bool &Known) : IsKnown(IsKnown), Known(&Known) {}

  PreservedAnalyses run(Module & /*M*/, ModuleAnalysisManager & /*MAM*/) {
    *Known = IsKnown();
    return PreservedAnalyses::all();
  }

private:
  function_ref<bool()> IsKnown;
  bool *Known;
};

// Where a function is: its section, and where in it.
using Place = std::pair<uint64_t, uint64_t>;

// The bytes that each function has of the unwind table, by its place. An entry that is no common information begins
// with its length and with how far that is; then comes where the function begins, which the linker fills in.
DenseMap<Place, uint32_t> unwindBytes(const object::ELFObjectFileBase &Of) {
  DenseMap<Place, uint32_t> Found;
  for (const object::ELFSectionRef Relocations : Of.sections()) {
    Expected<object::section_iterator> Section = Relocations.getRelocatedSection();
    if (!Section) {
      consumeError(Section.takeError());
      continue;
    }
    if (*Section == Of.section_end() || cantFail((*Section)->getName()) != ".eh_frame") {
      continue;
    }
    const DataExtractor Table(cantFail((*Section)->getContents()), Of.isLittleEndian(), Of.getBytesInAddress());
    DenseMap<uint64_t, uint32_t> Lengths; // by where the linker fills in the function
    for (uint64_t At = 0; Table.isValidOffsetForDataOfSize(At, 8);) {
      uint64_t Next = At;
      const uint32_t Length = Table.getU32(&Next);
      if (Table.getU32(&Next) != 0) {
        Lengths[Next] = Length + sizeof(uint32_t);
      }
      At += Length + sizeof(uint32_t);
    }
    for (const object::ELFRelocationRef One : Relocations.relocations()) {
      const auto Entry = Lengths.find(One.getOffset());
      if (const object::elf_symbol_iterator Symbol = One.getSymbol();
          Entry != Lengths.end() && Symbol != Of.symbol_end()) {
        const auto In = cantFail(Symbol->getSection()); // nowhere, if assembly of the module's own says so
        if (In != Of.section_end()) {
          Found[{In->getIndex(), cantFail(Symbol->getValue()) + cantFail(One.getAddend())}] = Entry->second;
        }
      }
    }
  }
  return Found;
}

bool isCalledByOthers(const Function &F) {
  return any_of(F.users(), [&F](const User *Using) {
    const auto *Call = dyn_cast<CallBase>(Using);
    return Call != nullptr && Call->getCalledOperand() == &F && Call->getFunction() != &F;
  });
}

} // namespace

void closeOff(Module &M) {
  internalizeModule(M, [](const GlobalValue &One) {
    const auto *F = dyn_cast<Function>(&One);
    return F == nullptr || !isCalledByOthers(*F);
  });
}

Functions::Functions(const Module &M) {
  for (const Function &F : M) {
    if (!F.isDeclaration()) {
      Numbers.try_emplace(F.getName(), Numbers.size());
    }
  }
}

uint32_t Functions::number(const Function &F) const {
  const auto Found = Numbers.find(F.getName());
  return Found == Numbers.end() ? None : Found->second;
}

std::vector<Functions::Bytes> Functions::bytesIn(const Object &Made) const {
  const DenseMap<Place, uint32_t> Unwind = unwindBytes(Made.read());
  std::vector<Bytes> Found(Numbers.size());
  for (const object::ELFSymbolRef Symbol : Made.read().symbols()) {
    Expected<StringRef> Name = Symbol.getName();
    if (!Name) {
      consumeError(Name.takeError());
    } else if (const auto Known = Numbers.find(*Name); Known != Numbers.end() && Symbol.getELFType() == ELF::STT_FUNC) {
      const Place At = {cantFail(Symbol.getSection())->getIndex(), cantFail(Symbol.getValue())};
      Found[Known->second] = {static_cast<uint32_t>(Symbol.getSize()), Unwind.lookup(At)};
    }
  }
  return Found;
}

bool optimise(Line &On, Compiler &With, Session &Deciding, function_ref<bool()> IsKnown) {
  bool Known = false;
  PassInstrumentationCallbacks Callbacks;
  Callbacks.registerShouldRunOptionalPassCallback([&Known](StringRef /*Pass*/, const Any & /*IR*/) { return !Known; });
  OptNoneInstrumentation OptNone(/*DebugLogging=*/false);
  OptNone.registerCallbacks(Callbacks);
  PassBuilder Builder(&With.generator(), tuningAtOz(), std::nullopt, &Callbacks);
  // After the inliner, before everything that costs most.
  Builder.registerOptimizerEarlyEPCallback(
      [&](ModulePassManager &Passes, OptimizationLevel /*Level*/, ThinOrFullLTOPhase /*Phase*/) {
        Passes.addPass(Inquiry(IsKnown, Known));
      });
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  Running Here{Modules, Deciding};
  Now = &Here;
  Modules.registerPass([] { return PluginInlineAdvisorAnalysis(advisor); });
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::Oz).run(On.module(), Modules);
  Now = nullptr;
  return Known;
}

} // namespace harness
