#include "range.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"

using namespace llvm;

namespace harness {
namespace {

// Of Greedy's own priorities: of all live ranges but those that wait to be split; of those that are not to be assigned
// within their block (at one of two places, by target).
constexpr uint32_t NotSplit = 1U << 31;
constexpr uint32_t Global = 1U << 29;
constexpr uint32_t GlobalBelowClass = 1U << 24;

SlotIndex firstInstruction(const MachineFunction &MF, SlotIndexes &Indexes) {
  for (const MachineBasicBlock &Block : MF) {
    for (const MachineInstr &MI : Block) {
      if (!MI.isDebugOrPseudoInstr()) {
        return Indexes.getInstructionIndex(MI);
      }
    }
  }
  return Indexes.getZeroIndex();
}

} // namespace

Ranges::Ranges(const MachineFunction &MF, const RAGreedy &Greedy, SlotIndexes &Indexes)
    : RegAllocPriorityAdvisor(MF, Greedy, &Indexes), MF(MF),
      Default(std::make_unique<DefaultPriorityAdvisor>(MF, Greedy, &Indexes)), First(firstInstruction(MF, Indexes)) {}

uint32_t Ranges::defaultPriority(const LiveInterval &LI) const { return Default->getPriority(LI); }

// Greedy keeps stages to itself. Its own function tells them by what it says: one that waits to be split gets its size
// alone; else, of a range within one block, whether it is to be assigned for the first time. So it is asked about a
// short range of the same register.
int64_t Ranges::stage(const LiveInterval &LI, uint32_t Default) const {
  if ((Default & NotSplit) == 0) {
    return RS_Split;
  }
  LiveInterval Short(LI.reg(), LI.weight());
  Short.addSegment(
      LiveRange::Segment(First.getRegSlot(), First.getDeadSlot(), Short.getNextValue(First.getRegSlot(), Values)));
  const uint32_t Bit = RegClassPriorityTrumpsGlobalness ? GlobalBelowClass : Global;
  return (defaultPriority(Short) & Bit) == 0 ? RS_Assign : RS_Split2;
}

// Calls, and other instructions that clobber registers, in its segments. Both are in order.
int64_t Ranges::calls(const LiveInterval &LI) const {
  const ArrayRef<SlotIndex> Slots = LIS->getRegMaskSlots();
  int64_t Found = 0;
  const SlotIndex *Next = Slots.begin();
  for (const LiveRange::Segment &Segment : LI) {
    Next = std::lower_bound(Next, Slots.end(), Segment.start);
    const SlotIndex *End = std::lower_bound(Next, Slots.end(), Segment.end);
    Found += End - Next;
    Next = End;
  }
  return Found;
}

double Ranges::feature(const LiveInterval &LI, RangeFeature Feature, uint32_t Default) const {
  const Register Reg = LI.reg();
  const auto Distance = [&](SlotIndex To) { return Indexes->getZeroIndex().getApproxInstrDistance(To); };
  switch (Feature) {
  case RangeFeature::li_size:
    return LI.getSize();
  case RangeFeature::stage:
    return static_cast<double>(stage(LI, Default));
  case RangeFeature::weight:
    return LI.weight();
  case RangeFeature::default_priority:
    return Default;
  case RangeFeature::is_spillable:
    return LI.isSpillable() ? 1 : 0;
  case RangeFeature::is_local:
    return !LI.empty() && LIS->intervalIsInOneMBB(LI) != nullptr ? 1 : 0;
  case RangeFeature::is_split:
    return VRM->getOriginal(Reg) != Reg ? 1 : 0;
  case RangeFeature::has_hint:
    return VRM->hasKnownPreference(Reg) ? 1 : 0;
  case RangeFeature::segments:
    return static_cast<double>(LI.size());
  case RangeFeature::values:
    return LI.getNumValNums();
  case RangeFeature::operands:
    return static_cast<double>(range_size(MRI->reg_nodbg_operands(Reg)));
  case RangeFeature::calls:
    return static_cast<double>(calls(LI));
  case RangeFeature::registers:
    return RegClassInfo.getNumAllocatableRegs(MRI->getRegClass(Reg));
  case RangeFeature::class_priority:
    return MRI->getRegClass(Reg)->AllocationPriority;
  case RangeFeature::begin:
    return LI.empty() ? 0 : Distance(LI.beginIndex());
  case RangeFeature::end:
    return LI.empty() ? 0 : Distance(LI.endIndex());
  case RangeFeature::function_size:
    return Distance(Indexes->getLastIndex());
  default:
    return 0;
  }
}

Ranges::Context::Context(const Ranges &Of, const LiveInterval &LI)
    : PriorityContext({Of.MF, *Of.LIS, *Of.VRM, *Of.MRI, *Of.TRI, Of.RegClassInfo}), Of(Of), LI(LI) {}

double Ranges::Context::feature(RangeFeature Feature) {
  std::optional<double> &Value = Known[static_cast<size_t>(Feature)];
  if (!Value) {
    Value = Of.feature(LI, Feature, defaultPriority());
  }
  return *Value;
}

uint32_t Ranges::Context::defaultPriority() {
  if (!Default) {
    Default = Of.defaultPriority(LI);
  }
  return *Default;
}

} // namespace harness
