#include "size.h"
#include "size_model.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <cmath>

using namespace llvm;

namespace harness {
namespace {

class Counted {
public:
  int64_t &operator[](SizePart Part) { return Parts.at(static_cast<size_t>(Part)); }
  const SizeParts &parts() const { return Parts; }

private:
  SizeParts Parts{};
};

bool isFree(const CallBase &Call) {
  const auto *Known = dyn_cast<IntrinsicInst>(&Call);
  return Known != nullptr && (Known->isAssumeLikeIntrinsic() || Known->isLifetimeStartOrEnd());
}

SizePart partOf(const CallBase &Call) {
  if (isa<InvokeInst>(Call)) {
    return SizePart::invokes;
  }
  if (isa<MemIntrinsic>(Call)) {
    return SizePart::memory_intrinsics;
  }
  if (isa<IntrinsicInst>(Call)) {
    return SizePart::intrinsics;
  }
  return Call.getCalledFunction() == nullptr ? SizePart::indirect_calls : SizePart::calls;
}

SizePart partOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Ret:
    return SizePart::returns;
  case Instruction::Br:
    return cast<BranchInst>(I).isConditional() ? SizePart::branches : SizePart::jumps;
  case Instruction::Switch:
    return SizePart::switches;
  case Instruction::Load:
    return SizePart::loads;
  case Instruction::Store:
    return SizePart::stores;
  case Instruction::AtomicCmpXchg:
  case Instruction::AtomicRMW:
  case Instruction::Fence:
    return SizePart::atomics;
  case Instruction::GetElementPtr:
    return SizePart::addresses;
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return SizePart::arithmetic;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return SizePart::shifts;
  case Instruction::Mul:
    return SizePart::multiplications;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return SizePart::divisions;
  case Instruction::ICmp:
    return SizePart::comparisons;
  case Instruction::FCmp:
    return SizePart::float_comparisons;
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    return SizePart::float_arithmetic;
  case Instruction::FDiv:
  case Instruction::FRem:
    return SizePart::float_divisions;
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
    return SizePart::integer_casts;
  case Instruction::FPToUI:
  case Instruction::FPToSI:
  case Instruction::UIToFP:
  case Instruction::SIToFP:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    return SizePart::float_casts;
  case Instruction::Select:
    return SizePart::selects;
  case Instruction::PHI:
    return SizePart::phis;
  case Instruction::Alloca:
    return SizePart::allocas;
  case Instruction::LandingPad:
  case Instruction::Resume:
    return SizePart::landing_pads;
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
    return SizePart::aggregates;
  default:
    return SizePart::others;
  }
}

bool hasVector(const Instruction &I) {
  return I.getType()->isVectorTy() || any_of(I.operands(), [](const Use &Of) { return Of->getType()->isVectorTy(); });
}

void countOperands(const Instruction &I, Counted &Into) {
  const auto *Call = dyn_cast<CallBase>(&I);
  for (const Use &Operand : I.operands()) {
    if (Call != nullptr && Call->isCallee(&Operand)) {
      continue;
    }
    if (isa<GlobalValue>(Operand)) {
      ++Into[SizePart::globals];
    } else if (isa<ConstantFP>(Operand)) {
      ++Into[SizePart::float_constants];
    } else if (const auto *Number = dyn_cast<ConstantInt>(Operand); Number != nullptr && !isa<SwitchInst>(I)) {
      // What fits into a byte is within the instruction, on either target.
      if (!Number->getValue().isSignedIntN(8)) {
        ++Into[Number->getValue().isSignedIntN(32) ? SizePart::small_constants : SizePart::large_constants];
      }
    }
  }
}

const SizeModel &modelFor(const Triple &For) { return For.isAArch64() ? AArch64Size : X86Size; }

} // namespace

SizeParts partsOf(const Function &F) {
  Counted Into;
  Into[SizePart::functions] = 1;
  Into[SizePart::arguments] = static_cast<int64_t>(F.arg_size());
  Into[SizePart::blocks] = static_cast<int64_t>(F.size());
  for (const Instruction &I : instructions(F)) {
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      if (isFree(*Call)) {
        continue;
      }
      ++Into[partOf(*Call)];
      Into[SizePart::call_arguments] += static_cast<int64_t>(Call->arg_size());
    } else {
      ++Into[partOf(I)];
    }
    if (const auto *Table = dyn_cast<SwitchInst>(&I)) {
      Into[SizePart::cases] += Table->getNumCases();
    } else if (const auto *Address = dyn_cast<GetElementPtrInst>(&I)) {
      Into[SizePart::indices] += count_if(Address->indices(), [](const Use &Of) { return !isa<Constant>(Of); });
    } else if (const auto *Merged = dyn_cast<PHINode>(&I)) {
      Into[SizePart::phi_inputs] += Merged->getNumIncomingValues();
    }
    Into[SizePart::vectors] += static_cast<int64_t>(hasVector(I));
    countOperands(I, Into);
  }
  return Into.parts();
}

int64_t bytesOf(const Function &F) {
  const SizeModel &Model = modelFor(F.getParent()->getTargetTriple());
  double Bytes = 0;
  for (const auto &[Count, Weight] : zip_equal(partsOf(F), Model.Weights)) {
    Bytes += static_cast<double>(Count) * Weight;
  }
  return std::llround(std::max(Bytes, 1.0));
}

int64_t callBytes(const CallBase &CB) {
  const SizeModel &Model = modelFor(CB.getModule()->getTargetTriple());
  const auto Weight = [&Model](SizePart Part) { return Model.Weights.at(static_cast<size_t>(Part)); };
  return std::llround(Weight(partOf(CB)) + (Weight(SizePart::call_arguments) * CB.arg_size()));
}

int64_t unwindBytes(const Function &F, int64_t Bytes) {
  const SizeModel &Model = modelFor(F.getParent()->getTargetTriple());
  return std::llround(Model.Unwind + (Model.UnwindOfDoubling * std::log2(static_cast<double>(Bytes))));
}

} // namespace harness
