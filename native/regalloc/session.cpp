#include "session.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace harness {
namespace {

constexpr unsigned MostReplaced = 2; // the third ends the policy

} // namespace

bool isOtherAllocator(StringRef Name) { return Name == nameOf(Allocation::Basic) || Name == nameOf(Allocation::PBQP); }

const Session::Settled &Session::settle(const MachineFunction &MF, FunctionContext *Context) {
  if (&MF.getFunction() == Last) {
    return OfLast;
  }
  Last = &MF.getFunction();
  OfLast = Followed ? follow(MF) : decide(MF, Context);
  if (Features && Context != nullptr) {
    Features->write(MF, OfLast.Name, *Context);
  } else if (Features) {
    report_fatal_error("regalloc plugin: features need -regalloc=by-function", /*gen_crash_diag=*/false);
  }
  return OfLast;
}

Session::Settled Session::decide(const MachineFunction &MF, FunctionContext *Context) {
  if (Choosing && Context == nullptr) {
    diverge("function " + MF.getName().str() + " was not chosen for");
  }
  Settled Found;
  Found.Name = Choosing ? choose(MF, *Context) : Everywhere;
  if (Found.Name == Listed) {
    Found.Decider = Decider.get();
  } else if (!isOtherAllocator(Found.Name)) {
    Found.Decider = &known(Found.Name);
  }
  const bool IsOwn = Choosing && Found.Name == nameOf(Allocation::Greedy);
  if (Written && Found.Name != Listed && !IsOwn) {
    Written->name(MF.getName(), digestOf(MF), Found.Name);
  }
  return Found;
}

Session::Settled Session::follow(const MachineFunction &MF) {
  Settled Found;
  const OfFunction *Of = Followed->find(MF.getName(), digestOf(MF));
  if (Of == nullptr) {
    return Found;
  }
  Found.Name = Of->Function;
  if (Found.Name == Listed) {
    Found.Listed = Of;
  } else if (!isOtherAllocator(Found.Name)) {
    Found.Decider = &known(Found.Name);
  }
  return Found;
}

std::string Session::choose(const MachineFunction &MF, FunctionContext &Context) {
  const std::optional<Allocation> Chosen = Choosing->choose(MF, Context);
  if (!Chosen) {
    replace();
  }
  return nameOf(Chosen.value_or(Allocation::Greedy)).str();
}

Source &Session::known(StringRef Name) {
  std::unique_ptr<Source> &Found = Known[Name];
  Found = Found ? std::move(Found) : knownSource(Name);
  if (!Found) {
    diverge("there is no priority function " + Name.str());
  }
  return *Found;
}

void Session::replace() {
  if (++Replaced > MostReplaced && !IsRemote) {
    report_fatal_error("regalloc plugin: the policy is given up: bad", /*gen_crash_diag=*/false);
  }
}

void Session::finish() {
  if (Followed) {
    Followed->finish();
  }
  if (Written) {
    Written->finish(Replaced);
    Written.reset();
  }
  if (Features) {
    Features->finish();
    Features.reset();
  }
}

} // namespace harness
