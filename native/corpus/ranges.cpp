// Live ranges as register allocation finds them at -O3.

#include "facts.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace harness {
namespace {

class Counting : public MachineFunctionPass {
public:
  static char ID;

  explicit Counting(StringMap<unsigned> &Into) : MachineFunctionPass(ID), Into(Into) {}

protected:
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.addRequired<LiveIntervalsWrapperPass>();
    Usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(Usage);
  }

  bool runOnMachineFunction(MachineFunction &MF) override {
    const MachineRegisterInfo &Registers = MF.getRegInfo();
    const LiveIntervals &Known = getAnalysis<LiveIntervalsWrapperPass>().getLIS();
    unsigned Count = 0;
    for (unsigned Index = 0; Index < Registers.getNumVirtRegs(); ++Index) {
      const Register Reg = Register::index2VirtReg(Index);
      const bool IsUsed = !Registers.reg_nodbg_empty(Reg) && Known.hasInterval(Reg);
      Count += IsUsed && !Known.getInterval(Reg).empty() ? 1 : 0;
    }
    Into[MF.getName()] = Count;
    return false;
  }

private:
  StringMap<unsigned> &Into;
};

char Counting::ID = 0;

void optimise(Module &M, TargetMachine &Machine) {
  PipelineTuningOptions Options; // as clang -O3 has them
  Options.LoopInterleaving = true;
  Options.LoopVectorization = true;
  Options.SLPVectorization = true;
  Options.LoopUnrolling = true;
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder(&Machine, Options);
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(M, Modules);
}

} // namespace

StringMap<unsigned> liveRanges(MemoryBufferRef Bitcode) {
  StringMap<unsigned> Found;
  LLVMContext Context;
  Context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *, void *) {}); // inline assembly that is not for this CPU
  Expected<std::unique_ptr<Module>> Read = parseBitcodeFile(Bitcode, Context);
  if (!Read) {
    report_fatal_error(Read.takeError(), /*gen_crash_diag=*/false);
  }
  Module &M = **Read;
  for (Function &F : M) {
    F.removeFnAttr(Attribute::MinSize);
    F.removeFnAttr(Attribute::OptimizeForSize);
  }
  std::string Why;
  const Target *For = TargetRegistry::lookupTarget(M.getTargetTriple(), Why);
  if (For == nullptr) {
    report_fatal_error(Twine(Why), /*gen_crash_diag=*/false);
  }
  const std::unique_ptr<TargetMachine> Machine(For->createTargetMachine(
      M.getTargetTriple(), "", "", TargetOptions(), Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  optimise(M, *Machine);
  legacy::PassManager Passes;
  Passes.add(createTargetTransformInfoWrapperPass(Machine->getTargetIRAnalysis()));
  Passes.add(new TargetLibraryInfoWrapperPass(M.getTargetTriple()));
  const TargetOptions &Options = Machine->Options;
  Passes.add(new RuntimeLibraryInfoWrapper(M.getTargetTriple(), Options.ExceptionModel, Options.FloatABIType,
                                           Options.EABIVersion, "",
                                           Options.VecLib));    // code of exceptions depends on it
  TargetPassConfig *Config = Machine->createPassConfig(Passes); // stops before Greedy, by an option (main.cpp)
  Config->setDisableVerify(true);
  Passes.add(Config);
  Passes.add(new MachineModuleInfoWrapperPass(Machine.get()));
  if (Config->addISelPasses()) {
    report_fatal_error("no code can be generated for this target", /*gen_crash_diag=*/false);
  }
  Config->addMachinePasses();
  Config->setInitialized();
  Passes.add(new Counting(Found));
  Passes.add(createFreeMachineFunctionPass());
  Passes.run(M);
  return Found;
}

} // namespace harness
