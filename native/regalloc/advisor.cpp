#include "advisor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include <algorithm>
#include <limits>

using namespace llvm;

namespace harness {
namespace {

uint32_t bounded(double Priority) {
  return static_cast<uint32_t>(std::clamp(Priority, 0.0, double{std::numeric_limits<uint32_t>::max()}));
}

} // namespace

Advisor::Advisor(const MachineFunction &MF, const RAGreedy &Greedy, SlotIndexes &Indexes, Session &Shared)
    : Ranges(MF, Greedy, Indexes), Shared(Shared), Settled(Shared.settle(MF)), Name(MF.getName()) {
  if (isOtherAllocator(Settled.Name)) {
    diverge("function " + Name + " is allocated by Greedy, and was decided to be by " + Settled.Name);
  }
  if (Shared.written() != nullptr && Settled.Decider != nullptr && Settled.Name == Listed) {
    Shared.written()->begin(Name, digestOf(MF));
  }
}

Advisor::~Advisor() {
  if (Settled.Listed != nullptr &&
      (Step != Settled.Listed->Questions || Position < Settled.Listed->Priorities.size())) {
    diverge("there were " + std::to_string(Step) + " questions about function " + Name + ", the decisions have " +
            std::to_string(Settled.Listed->Questions));
  }
  if (Shared.features() != nullptr) {
    writeOutcomes();
  }
  if (Shared.written() != nullptr) {
    Shared.written()->end(Step, Shared.evictions());
  }
}

unsigned Advisor::getPriority(const LiveInterval &LI) const {
  const uint32_t Priority = Settled.Decider != nullptr ? ask(LI) : follow(LI);
  if (Shared.features() != nullptr) {
    Context Here(*this, LI);
    Shared.features()->write(Step, LI.reg().virtRegIndex(), Priority, Here);
    Asked.insert(LI.reg());
  }
  ++Step;
  return Priority;
}

// The policy's answer, or Greedy's own priority where it has none.
uint32_t Advisor::ask(const LiveInterval &LI) const {
  Context Here(*this, LI);
  const std::optional<double> Answer = Settled.Decider->decide(LI, Here);
  if (!Answer) {
    Shared.replace();
  }
  const uint32_t Priority = Answer ? bounded(*Answer) : Here.defaultPriority();
  if (Shared.written() != nullptr && Settled.Name == Listed && Priority != Here.defaultPriority()) {
    Shared.written()->write(Given{Step, LI.reg().virtRegIndex(), Priority});
  }
  return Priority;
}

uint32_t Advisor::follow(const LiveInterval &LI) const {
  if (Settled.Listed == nullptr || Position == Settled.Listed->Priorities.size() ||
      Settled.Listed->Priorities[Position].Step != Step) {
    return defaultPriority(LI);
  }
  const Given &Next = Settled.Listed->Priorities[Position++];
  if (Next.Register != LI.reg().virtRegIndex()) {
    diverge("question " + std::to_string(Step) + " about function " + Name + " is of another live range");
  }
  return Next.Priority;
}

// A live range that came of a split has a stack slot where it was spilled itself. What is split no more has one too
// where something that came of it was spilled: LLVM gives all that come of a live range the slot of that one.
void Advisor::writeOutcomes() const {
  const auto HasSlot = [&](Register Of) { return VRM->getStackSlot(Of) != VirtRegMap::NO_STACK_SLOT; };
  SmallDenseSet<Register, 16> InParts; // something that came of them was spilled
  for (const Register One : Asked) {
    if (VRM->getOriginal(One) != One && HasSlot(One)) {
      InParts.insert(VRM->getOriginal(One));
    }
  }
  for (const Register One : Asked) {
    const bool IsSpilled = HasSlot(One) && !InParts.contains(One);
    const Outcome Rest = IsSpilled ? Outcome::Spilled : Outcome::Split;
    Shared.features()->write(One.virtRegIndex(), VRM->hasPhys(One) ? Outcome::Assigned : Rest);
  }
}

} // namespace harness
