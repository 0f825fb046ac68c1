#include "callees.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace harness {

void Tallies::add(const Decision &Decided) {
  const unsigned Callee = Decided.Where.Callee;
  if (Callee >= Known.size()) {
    Known.resize(Callee + 1);
  }
  ++Known[Callee].Decided;
  Known[Callee].Inlined += Decided.Inline ? 1 : 0;
}

CallsNow CallsNow::of(Function &Callee, FunctionAnalysisManager &FAM) {
  CallsNow Found;
  TargetTransformInfo &TTI = FAM.getResult<TargetIRAnalysis>(Callee);
  const auto Library = [&FAM](Function &F) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(F);
  };
  bool Elsewhere = false;
  for (User *U : Callee.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (Call == nullptr || Call->getCalledFunction() != &Callee) {
      Elsewhere = true;
      continue;
    }
    ++Found.Calls;
    Found.Constants += count_if(Call->args(), [](const Use &Argument) { return isa<Constant>(Argument); });
    Elsewhere = Elsewhere || is_contained(Call->args(), &Callee);
    const auto Ruled = getAttributeBasedInliningDecision(*Call, &Callee, TTI, Library);
    Found.Legal += Call->getFunction() != &Callee && (!Ruled || Ruled->isSuccess()) ? 1 : 0;
  }
  Found.CanGo = Callee.hasLocalLinkage() && !Elsewhere;
  return Found;
}

} // namespace harness
