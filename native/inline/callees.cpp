#include "callees.h"
#include "size.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace harness {
namespace {

// The use as a direct call of the function; null if it is another use.
const CallBase *callOf(const Function &Callee, const User *Using) {
  const auto *Call = dyn_cast<CallBase>(Using);
  return Call != nullptr && Call->getCalledFunction() == &Callee ? Call : nullptr;
}

} // namespace

void Tallies::add(const Decision &Decided) {
  const unsigned Callee = Decided.Where.Callee;
  if (Callee >= Known.size()) {
    Known.resize(Callee + 1);
  }
  ++Known[Callee].Decided;
  Known[Callee].Inlined += Decided.Inline ? 1 : 0;
}

CallsNow CallsNow::of(const Function &Callee) {
  CallsNow Found;
  bool Elsewhere = false;
  for (const User *Using : Callee.users()) {
    const CallBase *Call = callOf(Callee, Using);
    Found.Calls += Call != nullptr ? 1 : 0;
    Elsewhere = Elsewhere || Call == nullptr || is_contained(Call->args(), &Callee);
  }
  Found.CanGo = Callee.hasLocalLinkage() && !Elsewhere;
  return Found;
}

int64_t constantArguments(const Function &Callee) {
  int64_t Constants = 0;
  for (const User *Using : Callee.users()) {
    if (const CallBase *Call = callOf(Callee, Using)) {
      Constants += count_if(Call->args(), [](const Use &Argument) { return isa<Constant>(Argument); });
    }
  }
  return Constants;
}

int64_t Extent::bytes(const Function &Of) {
  if (!Bytes) {
    Bytes = bytesOf(Of);
  }
  return *Bytes;
}

int64_t Extent::instructions(const Function &Of) {
  if (!Instructions) {
    Instructions = Of.getInstructionCount();
  }
  return *Instructions;
}

AnalysisKey CalleeAnalysis::Key;

int64_t Callee::legalCalls(Function &Of, FunctionAnalysisManager &FAM) {
  TargetTransformInfo &TTI = FAM.getResult<TargetIRAnalysis>(Of);
  const auto Library = [&FAM](Function &F) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(F);
  };
  int64_t Found = 0;
  for (const User *Using : Of.users()) {
    auto *Call = const_cast<CallBase *>(callOf(Of, Using));
    if (Call == nullptr || Call->getFunction() == &Of) {
      continue;
    }
    const auto [At, New] = Legal.try_emplace(
        {Call->getFunction()->getAttributes().getRawPointer(), Call->getAttributes().getRawPointer()});
    if (New) {
      const auto Ruled = getAttributeBasedInliningDecision(*Call, &Of, TTI, Library);
      At->second = !Ruled || Ruled->isSuccess();
    }
    Found += At->second ? 1 : 0;
  }
  return Found;
}

} // namespace harness
