#include "rest.h"
#include "../module/object.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace harness {
namespace {

constexpr ThinOrFullLTOPhase Phase = ThinOrFullLTOPhase::None;

// Optimise by passes that come first, and by what comes behind the inliner and its functions' own passes.
CodeBytes compiled(Module &M, Compiler &With, function_ref<void(PassBuilder &, ModulePassManager &)> First) {
  PassBuilder Builder(&With.generator(), tuningAtOz());
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes;
  First(Builder, Passes);
  Passes.addPass(Builder.buildModuleOptimizationPipeline(OptimizationLevel::Oz, Phase));
  Passes.run(M, Modules);
  const Object Made(M, With);
  const Sizes Found = sizesOf(Made);
  return {static_cast<int64_t>(Found.Allocated - Found.UnwindShared), static_cast<int64_t>(Found.Executed)};
}

} // namespace

std::unique_ptr<Module> decided(const Module &M, const StringMap<bool> &Fates) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = CloneModule(M, Map);
  for (const Function &Caller : M) {
    for (const Instruction &I : instructions(Caller)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call == nullptr ? nullptr : Call->getCalledFunction();
      if (Callee == nullptr || Callee->isDeclaration() || Callee == &Caller || Call->isNoInline()) {
        continue;
      }
      if (const auto Of = Fates.find(Callee->getName()); Of != Fates.end()) {
        cast<CallBase>(Map[Call])->addFnAttr(Of->second ? Attribute::AlwaysInline : Attribute::NoInline);
      }
    }
  }
  return Copy;
}

CodeBytes afterInliner(Module &M, Compiler &With) {
  return compiled(M, With, [](PassBuilder &Builder, ModulePassManager &Passes) {
    Passes.addPass(
        createModuleToFunctionPassAdaptor(Builder.buildFunctionSimplificationPipeline(OptimizationLevel::Oz, Phase)));
  });
}

CodeBytes inlined(Module &M, Compiler &With) {
  return compiled(M, With, [](PassBuilder &Builder, ModulePassManager &Passes) {
    Passes.addPass(Builder.buildInlinerPipeline(OptimizationLevel::Oz, Phase));
    Passes.addPass(GlobalOptPass());
    Passes.addPass(GlobalDCEPass());
  });
}

} // namespace harness
