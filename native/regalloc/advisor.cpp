#include "advisor.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <limits>

using namespace llvm;

namespace harness {
namespace {

constexpr unsigned MostReplaced = 2; // the third ends the policy

uint32_t bounded(double Priority) {
  return static_cast<uint32_t>(std::clamp(Priority, 0.0, double{std::numeric_limits<uint32_t>::max()}));
}

} // namespace

void finish(Session &Shared) {
  if (Shared.Followed) {
    Shared.Followed->finish();
  }
  if (Shared.Written) {
    Shared.Written->finish(Shared.Replaced);
    Shared.Written.reset();
  }
}

void countUnusable(Session &Shared) {
  if (++Shared.Replaced > MostReplaced && !Shared.IsRemote) {
    report_fatal_error("regalloc plugin: the policy is given up: bad", /*gen_crash_diag=*/false);
  }
}

Advisor::Advisor(const MachineFunction &MF, const RAGreedy &Greedy, SlotIndexes &Indexes, Session &Shared)
    : Ranges(MF, Greedy, Indexes), Shared(Shared), Decider(Shared.Decider.get()), Name(MF.getName()) {
  if (Shared.Followed) {
    Followed = Shared.Followed->find(Name, digestOf(MF));
    if (Followed != nullptr && Followed->Function != Listed) {
      std::unique_ptr<Source> &Known = Shared.Known[Followed->Function];
      Known = Known ? std::move(Known) : knownSource(Followed->Function);
      if (!Known) {
        diverge("there is no priority function " + Followed->Function);
      }
      Decider = Known.get();
    }
  }
  if (Shared.Written) {
    Shared.Written->begin(Name, digestOf(MF), Shared.Function);
  }
}

Advisor::~Advisor() {
  if (Followed != nullptr && Followed->Function == Listed &&
      (Step != Followed->Questions || Position < Followed->Priorities.size())) {
    diverge("there were " + std::to_string(Step) + " questions about function " + Name + ", the decisions have " +
            std::to_string(Followed->Questions));
  }
  if (Shared.Written) {
    Shared.Written->end(Step, Shared.Evictions);
  }
}

unsigned Advisor::getPriority(const LiveInterval &LI) const {
  const uint32_t Priority = Decider != nullptr ? ask(LI) : follow(LI);
  ++Step;
  return Priority;
}

// The policy's answer, or Greedy's own priority where it has none.
uint32_t Advisor::ask(const LiveInterval &LI) const {
  Context Here(*this, LI);
  const std::optional<double> Answer = Decider->decide(LI, Here);
  if (!Answer) {
    countUnusable(Shared);
  }
  const uint32_t Priority = Answer ? bounded(*Answer) : Here.defaultPriority();
  if (Shared.Written && Shared.Function == Listed && Priority != Here.defaultPriority()) {
    Shared.Written->write(Given{Step, LI.reg().virtRegIndex(), Priority});
  }
  return Priority;
}

uint32_t Advisor::follow(const LiveInterval &LI) const {
  if (Followed == nullptr || Position == Followed->Priorities.size() || Followed->Priorities[Position].Step != Step) {
    return defaultPriority(LI);
  }
  const Given &Next = Followed->Priorities[Position++];
  if (Next.Register != LI.reg().virtRegIndex()) {
    diverge("question " + std::to_string(Step) + " about function " + Name + " is of another live range");
  }
  return Next.Priority;
}

} // namespace harness
