#include "line.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace harness {
namespace {

/// What passes remark on is for nobody: a session runs millions of them.
class Quiet : public DiagnosticHandler {
public:
  bool handleDiagnostics(const DiagnosticInfo &Info) override { return Info.getSeverity() != DS_Error; }
};

} // namespace

PipelineTuningOptions tuningAtOz() {
  PipelineTuningOptions Tuning;
  Tuning.LoopUnrolling = true;
  Tuning.LoopInterleaving = true;
  Tuning.LoopVectorization = false;
  Tuning.SLPVectorization = true;
  Tuning.CallGraphProfile = true;
  return Tuning;
}

Expected<std::unique_ptr<Compiler>> Compiler::create(const Module &M, CodeGenOptLevel Level) {
  std::string Why;
  const Triple &For = M.getTargetTriple();
  const Target *Found = TargetRegistry::lookupTarget(For, Why);
  if (Found == nullptr) {
    return createStringError(Why);
  }
  std::unique_ptr<Compiler> Made(new Compiler());
  const auto Machine = [&](const TargetOptions &Options, CodeGenOptLevel At) {
    return std::unique_ptr<TargetMachine>(
        Found->createTargetMachine(For, "", "", Options, Reloc::PIC_, std::nullopt, At));
  };
  Made->Optimiser = Machine(TargetOptions(), CodeGenOptLevel::Default);
  TargetOptions Clang;
  Clang.EmitAddrsig = true;
  Made->Generator = Machine(Clang, Level);
  Made->OptNone.registerCallbacks(Made->Callbacks);
  Made->Passes =
      std::make_unique<PassBuilder>(Made->Optimiser.get(), PipelineTuningOptions(), std::nullopt, &Made->Callbacks);
  return Made;
}

Expected<std::unique_ptr<Line>> Line::parse(MemoryBufferRef Bitcode) {
  auto Context = std::make_shared<LLVMContext>();
  Context->setDiagnosticHandler(std::make_unique<Quiet>());
  auto Read = parseBitcodeFile(Bitcode, *Context);
  if (!Read) {
    return Read.takeError();
  }
  return std::unique_ptr<Line>(new Line(std::move(Context), std::move(*Read)));
}

std::string Line::bitcode() const {
  std::string Bytes;
  raw_string_ostream Stream(Bytes);
  WriteBitcodeToFile(*M, Stream, /*ShouldPreserveUseListOrder=*/true);
  return Bytes;
}

std::unique_ptr<Line> Line::fork() const { return std::unique_ptr<Line>(new Line(Context, CloneModule(*M))); }

bool Line::run(StringRef Pipeline, Compiler &With) {
  if (!Known) {
    Known = std::make_unique<Analyses>(With);
  }
  ModulePassManager Passes; // anew each time: some passes hold what they were given for one module
  if (Error Fault = With.passes().parsePassPipeline(Passes, Pipeline)) {
    report_fatal_error(std::move(Fault)); // every pipeline was read once at the start
  }
  return !Passes.run(*M, Known->Modules).areAllPreserved();
}

Line::Analyses::Analyses(Compiler &With) {
  PassBuilder &Builder = With.passes();
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
}

} // namespace harness
