#include "costs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Casting.h"

using namespace llvm;

namespace harness {
namespace {

// A call of a function that is only known at the call site leads the walk into that function; and whether a block may
// be inlined whose address is taken depends on who took it.
bool looksElsewhere(Function &F) {
  return any_of(F, [](const BasicBlock &BB) { return BB.hasAddressTaken(); }) ||
         any_of(instructions(F), [](const Instruction &I) {
           const auto *Call = dyn_cast<CallBase>(&I);
           return Call != nullptr && Call->getCalledFunction() == nullptr;
         });
}

bool callsItself(const Function &F) {
  return any_of(F.users(), [&F](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    return Call != nullptr && Call->getFunction() == &F;
  });
}

// Whether the call leads to nothing but the end of the program.
bool isFollowedByUnreachable(const CallBase &CB) {
  const auto *Invoke = dyn_cast<InvokeInst>(&CB);
  const BasicBlock *After = Invoke == nullptr ? CB.getParent() : Invoke->getNormalDest();
  return isa<UnreachableInst>(After->getTerminator());
}

uint64_t address(const void *Pointer) { return reinterpret_cast<uintptr_t>(Pointer); }

// Where a pointer argument points, as the walks see it: an object and a distance into it that is constant, if it is.
// The call site can be reached, so no pointer is made from itself.
struct Place {
  const Value *Object;
  APInt Distance;
};

std::optional<Place> placeOf(const Value *Pointer, const DataLayout &DL) {
  Place Found = {Pointer, APInt(DL.getIndexTypeSizeInBits(Pointer->getType()), 0)};
  for (;;) {
    if (const auto *Step = dyn_cast<GEPOperator>(Found.Object)) {
      if (!Step->isInBounds() || !Step->accumulateConstantOffset(DL, Found.Distance)) {
        return std::nullopt;
      }
      Found.Object = Step->getPointerOperand();
    } else if (const auto *Alias = dyn_cast<GlobalAlias>(Found.Object); Alias != nullptr && !Alias->isInterposable()) {
      Found.Object = Alias->getAliasee();
    } else {
      return Found;
    }
  }
}

// All that the walks may take from the call site. Where two calls of one function agree in it, so do the walks.
std::vector<uint64_t> mannerOf(const CallBase &CB) {
  const Function &Caller = *CB.getCaller();
  const Function &Callee = *CB.getCalledFunction();
  const DataLayout &DL = Caller.getDataLayout();
  const bool IsOnlyCall = Callee.hasLocalLinkage() && Callee.hasOneLiveUse();
  std::vector<uint64_t> Manner = {
      address(CB.getAttributes().getRawPointer()),
      address(Callee.getAttributes().getRawPointer()),
      static_cast<uint64_t>(IsOnlyCall) | static_cast<uint64_t>(callsItself(Caller)) << 1U |
          static_cast<uint64_t>(Caller.hasMinSize()) << 2U | static_cast<uint64_t>(isFollowedByUnreachable(CB)) << 3U,
  };
  SmallVector<const Value *, 8> Objects;
  for (const Use &Argument : CB.args()) {
    // A constant counts with its value; of everything else only where it points.
    Manner.push_back(isa<Constant>(Argument) ? address(Argument.get()) : 0);
    const Value *Object = nullptr;
    if (Argument->getType()->isPointerTy()) {
      const std::optional<Place> Where = placeOf(Argument, DL);
      Manner.push_back(Where ? Where->Distance.getZExtValue() : 0);
      Object = Where ? Where->Object : nullptr;
    }
    const auto SameAs = static_cast<uint64_t>(find(Objects, Object) - Objects.begin());
    Manner.push_back(Object == nullptr ? 0 : (SameAs + 1) << 1U | static_cast<uint64_t>(isa<AllocaInst>(Object)));
    Objects.push_back(Object);
  }
  return Manner;
}

} // namespace

AnalysisKey CallCostsAnalysis::Key;

CallCosts CallCostsAnalysis::run(Function &F, FunctionAnalysisManager & /*FAM*/) {
  const bool TakesAggregates = any_of(F.args(), [](const Argument &A) { return A.getType()->isAggregateType(); });
  return {!TakesAggregates && !F.isVarArg() && !looksElsewhere(F), {}};
}

CallCosts::Answers *answersFor(CallBase &CB, FunctionAnalysisManager &FAM) {
  CallCosts &Costs = FAM.getResult<CallCostsAnalysis>(*CB.getCalledFunction());
  if (!Costs.Shared || CB.getCaller()->hasFnAttribute("inline-max-stacksize")) {
    return nullptr;
  }
  return &Costs.ByManner[mannerOf(CB)];
}

} // namespace harness
