#include "allocators.h"
#include "pressure.h"
#include "provider.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/RegAllocPriorityAdvisor.h"

using namespace llvm;

namespace harness {

char Allocators::ID = 0;

Allocators::Allocators()
    : MachineFunctionPass(ID), Greedy(createGreedyRegisterAllocator()), Basic(createBasicRegisterAllocator()),
      PBQP(createDefaultPBQPRegisterAllocator()) {}

// What any of them needs; what all of them keep is a part of it.
void Allocators::getAnalysisUsage(AnalysisUsage &Usage) const {
  for (const FunctionPass *One : {Greedy.get(), Basic.get(), PBQP.get()}) {
    One->getAnalysisUsage(Usage);
  }
}

bool Allocators::doInitialization(Module &M) {
  MachineFunctionPass::doInitialization(M);
  for (FunctionPass *One : {Greedy.get(), Basic.get(), PBQP.get()}) {
    One->doInitialization(M);
  }
  return false;
}

bool Allocators::doFinalization(Module &M) {
  for (FunctionPass *One : {Greedy.get(), Basic.get(), PBQP.get()}) {
    One->doFinalization(M);
  }
  return false;
}

void Allocators::releaseMemory() {
  for (FunctionPass *One : {Greedy.get(), Basic.get(), PBQP.get()}) {
    One->releaseMemory();
  }
}

bool Allocators::runOnMachineFunction(MachineFunction &MF) {
  FunctionPass &One = chosen(MF);
  share(One);
  return One.runOnFunction(MF.getFunction());
}

FunctionPass &Allocators::chosen(MachineFunction &MF) {
  Pressure Context(MF, getAnalysis<LiveIntervalsWrapperPass>().getLIS(),
                   getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI(),
                   getAnalysis<MachineLoopInfoWrapperPass>().getLI());
  RegAllocPriorityAdvisorProvider &Known = getAnalysis<RegAllocPriorityAdvisorAnalysisLegacy>().getProvider();
  const StringRef Name = static_cast<Provider &>(Known).session().settle(MF, &Context).Name;
  if (Name == nameOf(Allocation::Basic)) {
    return *Basic;
  }
  return Name == nameOf(Allocation::PBQP) ? *PBQP : *Greedy;
}

// The pass manager has found the analyses for this pass: they are the other's too.
void Allocators::share(FunctionPass &With) {
  if (With.getResolver() == nullptr) {
    With.setResolver(new AnalysisResolver(getResolver()->getPMDataManager())); // which it deletes
  }
  With.getResolver()->clearAnalysisImpls();
  AnalysisUsage Usage;
  With.getAnalysisUsage(Usage);
  for (const AnalysisID Required : Usage.getRequiredSet()) {
    if (Pass *Found = getResolver()->findImplPass(Required)) {
      With.getResolver()->addAnalysisImplsPair(Required, Found);
    }
  }
}

} // namespace harness
