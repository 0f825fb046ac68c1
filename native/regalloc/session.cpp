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
  OfLast = With.Followed ? follow(MF) : decide(MF, Context);
  if (With.Features && Context != nullptr) {
    With.Features->write(MF, OfLast.Name, *Context);
  } else if (With.Features) {
    report_fatal_error("regalloc plugin: features need -regalloc=by-function", /*gen_crash_diag=*/false);
  }
  return OfLast;
}

Session::Settled Session::decide(const MachineFunction &MF, FunctionContext *Context) {
  if (With.Choosing && Context == nullptr) {
    diverge("function " + MF.getName().str() + " was not chosen for");
  }
  Settled Found;
  Found.Name = With.Choosing ? choose(MF, *Context) : With.Everywhere;
  if (Found.Name == Listed) {
    Found.Decider = With.Decider.get();
  } else if (!isOtherAllocator(Found.Name)) {
    Found.Decider = &known(Found.Name);
  }
  const bool IsOwn = With.Choosing && Found.Name == nameOf(Allocation::Greedy);
  if (With.Written && Found.Name != Listed && !IsOwn) {
    With.Written->name(MF.getName(), digestOf(MF), Found.Name);
  }
  return Found;
}

Session::Settled Session::follow(const MachineFunction &MF) {
  Settled Found;
  const OfFunction *Of = With.Followed->find(MF.getName(), digestOf(MF));
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
  const std::optional<Allocation> Chosen = With.Choosing->decide(MF, Context);
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
  if (++Replaced > MostReplaced && !With.IsRemote) {
    report_fatal_error("regalloc plugin: the policy is given up: bad", /*gen_crash_diag=*/false);
  }
}

void Session::finish() {
  if (With.Followed) {
    With.Followed->finish();
  }
  if (With.Written) {
    With.Written->finish(Replaced);
    With.Written.reset();
  }
  if (With.Features) {
    With.Features->finish();
    With.Features.reset();
  }
}

} // namespace harness
