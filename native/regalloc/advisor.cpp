#include "advisor.h"
#include "llvm/CodeGen/MachineFunction.h"
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
  if (Shared.written() != nullptr) {
    Shared.written()->end(Step, Shared.evictions());
  }
}

unsigned Advisor::getPriority(const LiveInterval &LI) const {
  const uint32_t Priority = Settled.Decider != nullptr ? ask(LI) : follow(LI);
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

} // namespace harness
