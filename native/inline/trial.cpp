#include "trial.h"
#include "apart.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <algorithm>

using namespace llvm;

namespace harness {
namespace {

constexpr unsigned MostInstructions = 20000; // of a function
constexpr int64_t SmallestModule = 500;      // instructions: a smaller one may be tried as much as one of so many
constexpr int64_t Functions = 4;             // at least so many can be tried
constexpr int64_t PerCompilation = 60;       // instructions that take as long to compile as what is done but once

// A label whose address is taken cannot be copied.
bool isTriable(const Function &F) {
  return !F.isDeclaration() && F.getInstructionCount() <= MostInstructions &&
         none_of(F, [](const BasicBlock &Block) { return Block.hasAddressTaken(); });
}

// Where a function is called, and whether it is used otherwise.
struct Uses {
  struct Part {
    Function *Caller;
    int64_t Calls;
    int64_t Instructions; // of the caller
  };
  SmallVector<Part> Parts; // the smallest first
  bool Otherwise = false;

  explicit Uses(const Function &Callee) {
    MapVector<Function *, int64_t> Callers;
    for (const User *Using : Callee.users()) {
      const auto *Call = dyn_cast<CallBase>(Using);
      if (Call == nullptr || Call->getCalledFunction() != &Callee || is_contained(Call->args(), &Callee) ||
          Call->getFunction() == &Callee || !isTriable(*Call->getFunction())) {
        Otherwise = true;
      } else {
        ++Callers[const_cast<Function *>(Call->getFunction())];
      }
    }
    SmallVector<std::pair<int64_t, size_t>> BySize;
    for (const auto &[Place, Caller] : enumerate(Callers)) {
      BySize.emplace_back(Caller.first->getInstructionCount(), Place);
    }
    sort(BySize);
    for (const auto &[Instructions, Place] : BySize) {
      const auto &[Caller, Calls] = Callers.begin()[Place];
      Parts.push_back({Caller, Calls, Instructions});
    }
  }
};

bool goesAway(const Function &Callee, const Uses &Of) { return Callee.hasLocalLinkage() && !Of.Otherwise; }

// Instructions that trying it compiles, about.
int64_t effort(const Function &Callee) {
  const Uses Of(Callee);
  const int64_t Copy = Callee.getInstructionCount();
  int64_t Instructions = Of.Parts.empty() || !goesAway(Callee, Of) ? 0 : Copy + PerCompilation;
  for (const Uses::Part &Part : Of.Parts) {
    Instructions += 2 * (Part.Instructions + PerCompilation) + Part.Calls * Copy;
  }
  return Instructions;
}

// What compiling the module once is.
int64_t effort(const Module &M) { return static_cast<int64_t>(M.getInstructionCount()) + PerCompilation; }

stable_hash hashOf(const StringMap<bool> &Fates) {
  SmallVector<StringRef> Inlined;
  for (const auto &[Name, Inline] : Fates) {
    if (Inline) {
      Inlined.push_back(Name);
    }
  }
  sort(Inlined);
  const SmallVector<stable_hash> Parts(map_range(Inlined, [](StringRef Name) { return xxh3_64bits(Name); }));
  return stable_hash_combine(Parts);
}

} // namespace

int64_t feature(const Trial &Of, TrialFeature Index) {
  switch (Index) {
  case TrialFeature::trial_saves_alloc:
    return Of.Saved.Allocated;
  case TrialFeature::trial_saves_text:
    return Of.Saved.Executed;
  case TrialFeature::trial_callers:
    return Of.Callers;
  case TrialFeature::trial_instructions: // known before anything is tried
  case TrialFeature::Count:
    break;
  }
  llvm_unreachable("this is no feature");
}

Trials::Plan::Plan(Function &Caller, const Function &Callee, bool Inline, Others Rest) : Caller(Caller) {
  SmallVector<stable_hash> Parts = {StructuralHash(Caller, /*DetailedHash=*/true)};
  Instructions = Caller.getInstructionCount() + PerCompilation;
  for (Instruction &I : instructions(Caller)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Called = Call == nullptr ? nullptr : Call->getCalledFunction();
    if (Called == nullptr || Called == &Caller || !isTriable(*Called)) {
      continue;
    }
    const std::optional<bool> Known = Called == &Callee ? Inline : Rest.Decided(*Called);
    const bool Wanted = Known ? *Known : Rest.Default(*Call);
    Parts.push_back(Wanted ? StructuralHash(*Called, /*DetailedHash=*/true) : 0);
    Instructions += Wanted ? Called->getInstructionCount() : 0;
    if (Wanted) {
      Inlined.push_back(Call);
    }
  }
  Hash = stable_hash_combine(Parts);
}

const Trial &Trials::of(Function &Callee, Others Rest) {
  if (const auto Found = Came.find(Callee.getName()); Found != Came.end()) {
    return Found->second;
  }
  return Came[Callee.getName()] = tried(Callee, Rest);
}

int64_t Trials::instructionsFor(const Function &Callee) {
  if (const auto Found = Efforts.find(Callee.getName()); Found != Efforts.end()) {
    return Found->second;
  }
  look(*Callee.getParent());
  int64_t Found = isTriable(Callee) ? effort(Callee) : 0;
  if (Whole && Found != 0) {
    Found = effort(*Callee.getParent()); // the other way is what the module comes to anyway
  }
  return Efforts[Callee.getName()] = Found;
}

// What may be compiled, and whether all functions can be tried in the whole module. No function may use up what many
// could be tried with.
void Trials::look(const Module &M) {
  if (Looked) {
    return;
  }
  Looked = true;
  const auto Tried = count_if(M, [](const Function &F) { return isTriable(F) && !Uses(F).Parts.empty(); });
  Left = static_cast<int64_t>(Share * static_cast<double>(std::max<int64_t>(M.getInstructionCount(), SmallestModule)));
  Most = Left / Functions;
  Whole = Whole && (Tried + 1) * effort(M) <= Left;
}

Trial Trials::tried(Function &Callee, Others Rest) {
  const Uses Of(Callee);
  if (!isTriable(Callee) || Of.Parts.empty()) {
    return {};
  }
  look(*Callee.getParent());
  if (Whole) {
    return triedInModule(Callee, static_cast<int64_t>(Of.Parts.size()), Rest);
  }
  const bool Goes = goesAway(Callee, Of);
  SmallVector<std::pair<Plan, Plan>> Plans;
  int64_t Instructions = Goes ? Callee.getInstructionCount() + PerCompilation : 0;
  for (const Uses::Part &Part : Of.Parts) {
    const auto &[Without, With] =
        Plans.emplace_back(Plan(*Part.Caller, Callee, false, Rest), Plan(*Part.Caller, Callee, true, Rest));
    Instructions += Known.contains(Without.Hash) ? 0 : Without.Instructions;
    Instructions += Known.contains(With.Hash) ? 0 : With.Instructions;
  }
  if (!isAffordable(Instructions)) {
    return {};
  }
  Left -= Instructions;
  Trial Found;
  for (const auto &[Without, With] : Plans) {
    const std::optional<CodeBytes> Before = bytesOf(Without, Callee);
    const std::optional<CodeBytes> After = bytesOf(With, Callee);
    if (!Before || !After) {
      return {};
    }
    Found.Saved.Allocated += Before->Allocated - After->Allocated;
    Found.Saved.Executed += Before->Executed - After->Executed;
    ++Found.Callers;
  }
  if (Goes) {
    const auto Never = [](const Function &) { return std::optional(false); };
    const auto Own = compiled(Plan(Callee, Callee, false, {Never, [](CallBase &) { return false; }}), Callee);
    Found.Saved.Allocated += Own ? Own->Allocated : 0;
    Found.Saved.Executed += Own ? Own->Executed : 0;
  }
  return Found;
}

// What the module comes to when the function is decided is what it comes to when the next one is not tried yet. So one
// compilation is enough for each.
Trial Trials::triedInModule(Function &Callee, int64_t Callers, Others Rest) {
  Module &M = *Callee.getParent();
  foresee(M, Rest);
  Fates[Callee.getName()] = false;
  const stable_hash Without = hashOf(Fates);
  Fates[Callee.getName()] = true;
  const stable_hash With = hashOf(Fates);
  const int64_t Missing = (Outcomes.contains(Without) ? 0 : 1) + (Outcomes.contains(With) ? 0 : 1);
  Compiler *Made = compiler(M);
  if (Made == nullptr || Missing * effort(M) > Left) {
    return {};
  }
  Left -= Missing * effort(M);
  const auto Outcome = [&](bool Inline, stable_hash Of) {
    if (const auto Found = Outcomes.find(Of); Found != Outcomes.end()) {
      return Found->second;
    }
    Fates[Callee.getName()] = Inline;
    return Outcomes[Of] = inlined(*decided(M, Fates), *Made);
  };
  const CodeBytes Before = Outcome(false, Without);
  const CodeBytes After = Outcome(true, With);
  return {{Before.Allocated - After.Allocated, Before.Executed - After.Executed}, Callers};
}

// What becomes of each function: as its calls were decided, or as most of them would be by LLVM's heuristic.
void Trials::foresee(Module &M, Others Rest) {
  MapVector<const Function *, int64_t> Balances; // calls that are inlined, less those that are not
  for (Function &Caller : M) {
    for (Instruction &I : instructions(Caller)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Called = Call == nullptr ? nullptr : Call->getCalledFunction();
      if (Called != nullptr && Called != &Caller && isTriable(*Called) && !Rest.Decided(*Called)) {
        Balances[Called] += Rest.Default(*Call) ? 1 : -1;
      }
    }
    if (const auto Known = Rest.Decided(Caller)) {
      Fates[Caller.getName()] = *Known;
    }
  }
  for (const auto &[Called, Balance] : Balances) {
    Fates[Called->getName()] = Balance >= 0;
  }
}

bool Trials::isAffordable(int64_t Instructions) const { return Instructions <= Most && Instructions <= Left; }

// Null where there is none for the module.
Compiler *Trials::compiler(const Module &M) {
  if (!With) {
    auto Made = Compiler::create(M, CodeGenOptLevel::Default);
    if (!Made) {
      consumeError(Made.takeError());
      return nullptr;
    }
    With = std::move(*Made);
  }
  return With.get();
}

std::optional<CodeBytes> Trials::bytesOf(const Plan &Of, const Function &Callee) {
  if (const auto Found = Known.find(Of.Hash); Found != Known.end()) {
    return Found->second;
  }
  return Known[Of.Hash] = compiled(Of, Callee);
}

std::optional<CodeBytes> Trials::compiled(const Plan &Of, const Function &Callee) {
  Compiler *Made = compiler(*Callee.getParent());
  if (Made == nullptr) {
    return std::nullopt;
  }
  SetVector<Function *> Wanted;
  Wanted.insert(&Of.Caller);
  for (const CallBase *Call : Of.Inlined) {
    Wanted.insert(Call->getCalledFunction());
  }
  ValueToValueMapTy Map;
  const std::unique_ptr<Module> Apart = apart(Wanted.getArrayRef(), Map);
  for (const CallBase *Call : Of.Inlined) {
    InlineFunctionInfo Info;
    const InlineResult Came = InlineFunction(*cast<CallBase>(Map[Call]), Info, /*MergeAttributes=*/true);
    if (!Came.isSuccess() && Call->getCalledFunction() == &Callee) {
      return std::nullopt;
    }
  }
  for (const Function *Copied : drop_begin(Wanted)) {
    auto *Rest = cast<Function>(Map[Copied]);
    Rest->deleteBody(); // of a call that could not be inlined a declaration is left
    if (Rest->use_empty()) {
      Rest->eraseFromParent();
    }
  }
  return afterInliner(*Apart, *Made);
}

} // namespace harness
