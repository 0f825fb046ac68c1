// A line: one module on its way through passes.

#ifndef HARNESS_MODULE_LINE_H
#define HARNESS_MODULE_LINE_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace harness {

/// How clang sets the pipelines of -Oz.
llvm::PipelineTuningOptions tuningAtOz();

/// What all lines share: the compiler, set up as `opt` sets it up for passes, and as clang does for code.
class Compiler {
public:
  /// For the target that the module is for. `Level`: of code generation, as clang's -O gives it.
  static llvm::Expected<std::unique_ptr<Compiler>> create(const llvm::Module &M, llvm::CodeGenOptLevel Level);

  llvm::PassBuilder &passes() { return *Passes; }
  llvm::TargetMachine &generator() { return *Generator; }

private:
  Compiler() : OptNone(false) {}

  std::unique_ptr<llvm::TargetMachine> Optimiser; // as passes ask it what is cheap
  std::unique_ptr<llvm::TargetMachine> Generator; // of objects
  llvm::PassInstrumentationCallbacks Callbacks;
  llvm::OptNoneInstrumentation OptNone;
  std::unique_ptr<llvm::PassBuilder> Passes;
};

/// One module, and what analyses know of it. Analyses live from one pass to the next, as they do in one `opt`.
class Line {
public:
  /// The module as the file has it, in a context of its own, where its types have the names that the file gives them.
  static llvm::Expected<std::unique_ptr<Line>> parse(llvm::MemoryBufferRef Bitcode);

  /// A copy of the module. Passes may go on otherwise from it, since a copy has the uses of a value in another order.
  std::unique_ptr<Line> fork() const;

  /// Run a pipeline, and say whether it changed anything. The pipeline is one that PassBuilder reads.
  bool run(llvm::StringRef Pipeline, Compiler &With);

  /// As `opt` writes it: with the order of uses, so that whoever reads it goes on as this line would.
  std::string bitcode() const;

  llvm::Module &module() { return *M; }

private:
  /// In the order in which `opt` declares them: each is destroyed before those that it asks.
  struct Analyses {
    explicit Analyses(Compiler &With);

    // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
    llvm::LoopAnalysisManager Loops;
    llvm::FunctionAnalysisManager Functions;
    llvm::CGSCCAnalysisManager Components;
    llvm::ModuleAnalysisManager Modules;
    // NOLINTEND(misc-non-private-member-variables-in-classes)
  };

  Line(std::shared_ptr<llvm::LLVMContext> Context, std::unique_ptr<llvm::Module> M)
      : Context(std::move(Context)), M(std::move(M)) {}

  std::shared_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::unique_ptr<Analyses> Known;
};

} // namespace harness

#endif
