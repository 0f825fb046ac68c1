#include "pressure.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/CodeGenTypes/MachineValueType.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace harness {
namespace {

constexpr MVT::SimpleValueType General[] = {MVT::i64, MVT::i32, MVT::i16, MVT::i8};
constexpr MVT::SimpleValueType Vector[] = {MVT::f64, MVT::f32, MVT::f16, MVT::f80, MVT::v4f32, MVT::v2f64, MVT::v16i8};

bool isCall(const MachineInstr &MI) {
  return any_of(MI.operands(), [](const MachineOperand &Operand) { return Operand.isRegMask(); });
}

bool holds(const TargetRegisterInfo &TRI, const TargetRegisterClass &Class, ArrayRef<MVT::SimpleValueType> Types) {
  return any_of(Types, [&](MVT Type) { return TRI.isTypeLegalForClass(Class, Type); });
}

} // namespace

// The live ranges of one sort of registers.
struct Pressure::Bank {
  unsigned Ranges = 0;
  unsigned Registers = 0;   // of the largest class
  std::vector<int> Changes; // of how many are live, by the instruction's place
};

Pressure::Pressure(const MachineFunction &MF, const LiveIntervals &LIS, const MachineBlockFrequencyInfo &Frequencies,
                   const MachineLoopInfo &Loops)
    : FunctionContext({LIS, Frequencies, Loops, Known}), MF(MF) {
  Known.runOnMachineFunction(MF);
}

double Pressure::feature(FunctionFeature Feature) {
  if (!Measured) {
    measure();
    Measured = true;
  }
  return value(Feature);
}

void Pressure::measure() {
  value(FunctionFeature::blocks) = static_cast<double>(MF.size());
  for (const MachineLoop *Loop : Loops.getLoopsInPreorder()) {
    value(FunctionFeature::loops) += 1;
    double &Depth = value(FunctionFeature::depth);
    Depth = std::max(Depth, static_cast<double>(Loop->getLoopDepth()));
  }
  for (const MachineBasicBlock &Block : MF) {
    const double Frequency = Frequencies.getBlockFreqRelativeToEntryBlock(&Block);
    for (const MachineInstr &MI : Block) {
      if (!MI.isDebugOrPseudoInstr()) {
        count(MI, Frequency);
      }
    }
  }
  weigh(bank(/*IsVector=*/false), FunctionFeature::general_ranges);
  weigh(bank(/*IsVector=*/true), FunctionFeature::vector_ranges);
}

void Pressure::count(const MachineInstr &MI, double Frequency) {
  value(FunctionFeature::instructions) += 1;
  value(FunctionFeature::frequency) += Frequency;
  if (isCall(MI)) {
    value(FunctionFeature::calls) += 1;
    value(FunctionFeature::call_frequency) += Frequency;
  }
  if (!MI.memoperands_empty()) {
    value(FunctionFeature::accesses) += Frequency;
  }
  if (MI.isCopy()) {
    value(FunctionFeature::copies) += Frequency;
  }
}

Pressure::Bank Pressure::bank(bool IsVector) const {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  SlotIndexes &Indexes = *LIS.getSlotIndexes();
  const auto Place = [&](SlotIndex Slot) { return Indexes.getZeroIndex().getApproxInstrDistance(Slot); };
  Bank Found;
  Found.Changes.resize(static_cast<size_t>(Place(Indexes.getLastIndex())) + 2);
  for (unsigned Index = 0; Index < MRI.getNumVirtRegs(); ++Index) {
    const Register Reg = Register::index2VirtReg(Index);
    if (!LIS.hasInterval(Reg) || LIS.getInterval(Reg).empty()) {
      continue;
    }
    const TargetRegisterClass &Class = *MRI.getRegClass(Reg);
    const bool Fits = holds(TRI, Class, Vector) ? IsVector : !IsVector && holds(TRI, Class, General);
    if (!Fits) {
      continue;
    }
    Found.Ranges += 1;
    Found.Registers = std::max(Found.Registers, Classes.getNumAllocatableRegs(&Class));
    for (const LiveRange::Segment &Segment : LIS.getInterval(Reg)) {
      const int Begin = Place(Segment.start);
      Found.Changes[Begin] += 1;
      Found.Changes[std::max(Begin + 1, Place(Segment.end))] -= 1;
    }
  }
  return Found;
}

// Live after an instruction: what it defines, and what is used later.
void Pressure::weigh(const Bank &Of, FunctionFeature First) {
  const auto Next = [&](int Further) -> double & { return Values[static_cast<size_t>(First) + Further]; };
  SlotIndexes &Indexes = *LIS.getSlotIndexes();
  std::vector<int> Live(Of.Changes.size());
  int Sum = 0;
  for (size_t Place = 0; Place < Live.size(); ++Place) {
    Live[Place] = Sum += Of.Changes[Place];
  }
  Next(0) = Of.Ranges;
  Next(1) = Of.Registers;
  for (const MachineBasicBlock &Block : MF) {
    const double Frequency = Frequencies.getBlockFreqRelativeToEntryBlock(&Block);
    for (const MachineInstr &MI : Block) {
      if (MI.isDebugOrPseudoInstr()) {
        continue;
      }
      const int Here = Live[Indexes.getZeroIndex().getApproxInstrDistance(Indexes.getInstructionIndex(MI))];
      Next(2) = std::max(Next(2), double(Here));
      Next(3) += Frequency * std::max(0, Here - static_cast<int>(Of.Registers));
      Next(4) += isCall(MI) ? Frequency * Here : 0;
    }
  }
}

} // namespace harness
