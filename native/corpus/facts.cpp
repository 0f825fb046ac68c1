#include "facts.h"
#include "../session/observe.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace harness {
namespace {

bool isFast(const Instruction &I) {
  const auto *Math = dyn_cast<FPMathOperator>(&I);
  return Math != nullptr && Math->getFastMathFlags().any();
}

bool isCall(const Instruction &I) { return isa<CallBase>(I) && !isa<IntrinsicInst>(I); }

struct Counts {
  int64_t Instructions = 0;
  int64_t Calls = 0;
  bool Fast = false;
};

Counts countsOf(const Function &F) {
  Counts Found;
  for (const BasicBlock &Block : F) {
    for (const Instruction &I : Block) {
      Found.Instructions += isa<DbgInfoIntrinsic>(I) ? 0 : 1;
      Found.Calls += isCall(I) ? 1 : 0;
      Found.Fast = Found.Fast || isFast(I);
    }
  }
  return Found;
}

void functionFacts(const Function &F, const StringMap<unsigned> &Ranges, json::OStream &To) {
  const Counts Found = countsOf(F);
  const auto Known = Ranges.find(F.getName());
  To.object([&] {
    To.attribute("name", json::fixUTF8(F.getName()));
    To.attribute("digest", shapeOf(F));
    To.attribute("instructions", Found.Instructions);
    To.attribute("blocks", static_cast<int64_t>(F.size()));
    To.attribute("calls", Found.Calls);
    To.attribute("local", F.hasLocalLinkage());
    To.attribute("noinline", F.hasFnAttribute(Attribute::NoInline));
    To.attribute("optnone", F.hasOptNone());
    To.attribute("sized", F.hasMinSize());
    To.attribute("fast", Found.Fast);
    To.attribute("ranges", Known == Ranges.end() ? json::Value(nullptr) : json::Value(int64_t{Known->second}));
  });
}

} // namespace

void facts(const Module &M, const StringMap<unsigned> &Ranges, raw_ostream &To) {
  json::OStream Out(To);
  Out.object([&] {
    Out.attribute("triple", M.getTargetTriple().str());
    Out.attribute("instructions", static_cast<int64_t>(countInstructions(M)));
    Out.attributeArray("autophase", [&] {
      for (const int64_t Feature : autophase(M)) {
        Out.value(Feature);
      }
    });
    Out.attributeArray("functions", [&] {
      for (const Function &F : M) {
        if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage()) {
          functionFacts(F, Ranges, Out);
        }
      }
    });
  });
  To << '\n';
}

} // namespace harness
