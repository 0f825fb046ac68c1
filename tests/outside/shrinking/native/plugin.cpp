// Marks the functions that functions.txt names, before the first pass runs.

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

#include <fstream>
#include <string>

namespace {

struct Shrink : llvm::PassInfoMixin<Shrink> {
  static llvm::PreservedAnalyses run(llvm::Module &Module, llvm::ModuleAnalysisManager &) {
    std::ifstream Names("functions.txt");
    for (std::string Name; std::getline(Names, Name);) {
      llvm::Function *Found = Module.getFunction(Name);
      if (Found != nullptr && !Found->isDeclaration()) {
        Found->addFnAttr(llvm::Attribute::MinSize);
        Found->addFnAttr(llvm::Attribute::OptimizeForSize);
      }
    }
    return llvm::PreservedAnalyses::none();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "shrinking", "1", [](llvm::PassBuilder &Builder) {
            Builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(Shrink()); });
          }};
}
