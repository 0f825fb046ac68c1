// The 56 features of Autophase (Haj-Ali et al., 2020), in the order of CodeZero's Table B1. All are sums over the
// functions that have a body.

#include "observe.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace harness {
namespace {

enum Feature : uint8_t {
  BBNumArgsHi,
  BBNumArgsLo,
  OnePred,
  OnePredOneSuc,
  OnePredTwoSuc,
  OneSuccessor,
  TwoPred,
  TwoPredOneSuc,
  TwoEach,
  TwoSuccessor,
  MorePreds,
  BB03Phi,
  BBHiPhi,
  BBNoPhi,
  BeginPhi,
  BranchCount,
  ReturnInt,
  CriticalCount,
  NumEdges,
  Const32Bit,
  Const64Bit,
  NumConstZeroes,
  NumConstOnes,
  UncondBranches,
  BinaryConstArg,
  NumAShrInst,
  NumAddInst,
  NumAllocInst,
  NumAndInst,
  BlockMid,
  BlockLow,
  NumBitCastInst,
  NumBrInst,
  NumCallInst,
  NumGetElementPtrInst,
  NumICmpInst,
  NumLShrInst,
  NumLoadInst,
  NumMulInst,
  NumOrInst,
  NumPHIInst,
  NumRetInst,
  NumSExtInst,
  NumSelectInst,
  NumShlInst,
  NumStoreInst,
  NumSubInst,
  NumTruncInst,
  NumXorInst,
  NumZExtInst,
  TotalBlocks,
  TotalInsts,
  TotalMemInst,
  TotalFuncs,
  ArgsPhi,
  TestUnary,
};
static_assert(TestUnary + 1 == AutophaseFeatures);

constexpr unsigned ManyPhiArgs = 5;
constexpr unsigned ManyPhis = 3;
constexpr unsigned LowBlock = 15;
constexpr unsigned MidBlock = 500;

using Counts = std::array<int64_t, AutophaseFeatures>;

/// The feature that counts instructions of this opcode; AutophaseFeatures where none does.
size_t ofOpcode(unsigned Opcode) {
  switch (Opcode) {
  case Instruction::AShr:
    return NumAShrInst;
  case Instruction::Add:
    return NumAddInst;
  case Instruction::Alloca:
    return NumAllocInst;
  case Instruction::And:
    return NumAndInst;
  case Instruction::BitCast:
    return NumBitCastInst;
  case Instruction::Br:
    return NumBrInst;
  case Instruction::Call:
    return NumCallInst;
  case Instruction::GetElementPtr:
    return NumGetElementPtrInst;
  case Instruction::ICmp:
    return NumICmpInst;
  case Instruction::LShr:
    return NumLShrInst;
  case Instruction::Load:
    return NumLoadInst;
  case Instruction::Mul:
    return NumMulInst;
  case Instruction::Or:
    return NumOrInst;
  case Instruction::PHI:
    return NumPHIInst;
  case Instruction::Ret:
    return NumRetInst;
  case Instruction::SExt:
    return NumSExtInst;
  case Instruction::Select:
    return NumSelectInst;
  case Instruction::Shl:
    return NumShlInst;
  case Instruction::Store:
    return NumStoreInst;
  case Instruction::Sub:
    return NumSubInst;
  case Instruction::Trunc:
    return NumTruncInst;
  case Instruction::Xor:
    return NumXorInst;
  case Instruction::ZExt:
    return NumZExtInst;
  default:
    return AutophaseFeatures;
  }
}

void countConstants(const Instruction &I, Counts &Into) {
  for (const Use &Operand : I.operands()) {
    const auto *Number = dyn_cast<ConstantInt>(Operand);
    if (Number == nullptr || !Number->getType()->isIntegerTy()) {
      continue;
    }
    const unsigned Bits = Number->getBitWidth();
    Into[Const32Bit] += Bits == 32 ? 1 : 0;
    Into[Const64Bit] += Bits == 64 ? 1 : 0;
    Into[NumConstZeroes] += Number->isZero() ? 1 : 0;
    Into[NumConstOnes] += Number->isOne() ? 1 : 0;
  }
}

void countInstruction(const Instruction &I, Counts &Into) {
  const size_t Named = ofOpcode(I.getOpcode());
  if (Named < AutophaseFeatures) {
    ++Into[Named];
  }
  ++Into[TotalInsts];
  Into[TotalMemInst] += isa<AllocaInst, CallInst, GetElementPtrInst, InvokeInst, LoadInst, StoreInst>(I) ? 1 : 0;
  countConstants(I, Into);
  if (const auto *Branch = dyn_cast<BranchInst>(&I)) {
    ++Into[BranchCount];
    Into[UncondBranches] += Branch->isUnconditional() ? 1 : 0;
  }
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    Into[ReturnInt] += Call->getType()->isIntegerTy() ? 1 : 0;
  }
  if (isa<BinaryOperator>(I) && any_of(I.operands(), [](const Use &Operand) { return isa<Constant>(Operand); })) {
    ++Into[BinaryConstArg];
  }
  Into[TestUnary] += isa<UnaryInstruction>(I) ? 1 : 0;
}

void countEdges(const BasicBlock &Block, Counts &Into) {
  const auto Preds = pred_size(&Block);
  const auto Succs = succ_size(&Block);
  Into[OnePred] += Preds == 1 ? 1 : 0;
  Into[OnePredOneSuc] += Preds == 1 && Succs == 1 ? 1 : 0;
  Into[OnePredTwoSuc] += Preds == 1 && Succs == 2 ? 1 : 0;
  Into[OneSuccessor] += Succs == 1 ? 1 : 0;
  Into[TwoPred] += Preds == 2 ? 1 : 0;
  Into[TwoPredOneSuc] += Preds == 2 && Succs == 1 ? 1 : 0;
  Into[TwoEach] += Preds == 2 && Succs == 2 ? 1 : 0;
  Into[TwoSuccessor] += Succs == 2 ? 1 : 0;
  Into[MorePreds] += Preds > 2 ? 1 : 0;
  Into[NumEdges] += Succs;
  for (unsigned At = 0; At < Succs; ++At) {
    Into[CriticalCount] += isCriticalEdge(Block.getTerminator(), At) ? 1 : 0;
  }
}

void countBlock(const BasicBlock &Block, Counts &Into) {
  unsigned Phis = 0;
  unsigned PhiArgs = 0;
  for (const PHINode &Phi : Block.phis()) {
    ++Phis;
    PhiArgs += Phi.getNumIncomingValues();
  }
  ++Into[TotalBlocks];
  Into[BBNumArgsHi] += PhiArgs > ManyPhiArgs ? 1 : 0;
  Into[BBNumArgsLo] += PhiArgs >= 1 && PhiArgs <= ManyPhiArgs ? 1 : 0;
  Into[BB03Phi] += Phis >= 1 && Phis <= ManyPhis ? 1 : 0;
  Into[BBHiPhi] += Phis > ManyPhis ? 1 : 0;
  Into[BBNoPhi] += Phis == 0 ? 1 : 0;
  Into[BeginPhi] += Phis;
  Into[ArgsPhi] += PhiArgs;
  Into[BlockLow] += Block.size() < LowBlock ? 1 : 0;
  Into[BlockMid] += Block.size() >= LowBlock && Block.size() <= MidBlock ? 1 : 0;
  countEdges(Block, Into);
  for (const Instruction &I : Block) {
    countInstruction(I, Into);
  }
}

} // namespace

Counts autophase(const Module &M) {
  Counts Found{};
  for (const Function &F : M) {
    Found[TotalFuncs] += F.isDeclaration() ? 0 : 1;
    for (const BasicBlock &Block : F) {
      countBlock(Block, Found);
    }
  }
  return Found;
}

} // namespace harness
