#include "parts.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace harness {
namespace {

// Constants, and what they are made of: each once. A variable or function is visited and not looked into.
class Walk {
public:
  void push(const Value *One) {
    const auto *Known = dyn_cast<Constant>(One);
    if (Known != nullptr && Seen.insert(Known).second) {
      Waiting.push_back(Known);
    }
  }

  const Constant *next() {
    if (Waiting.empty()) {
      return nullptr;
    }
    const Constant *One = Waiting.pop_back_val();
    if (!isa<GlobalValue>(One) && !isa<BlockAddress>(One)) {
      for (const Value *Operand : One->operand_values()) {
        push(Operand);
      }
    }
    return One;
  }

private:
  SmallVector<const Constant *, 16> Waiting;
  SmallPtrSet<const Constant *, 32> Seen;
};

// What a function reaches: functions by its code and theirs, and the constants that these name. Functions that are
// named in the value of a constant alone are not reached.
class Reached {
public:
  explicit Reached(const Function &From) {
    SmallVector<const Function *, 8> Waiting{&From};
    Kept.insert(&From);
    Walk Code;
    while (!Waiting.empty()) {
      for (const BasicBlock &Block : *Waiting.pop_back_val()) {
        for (const Instruction &I : Block) {
          for (const Value *Operand : I.operand_values()) {
            Code.push(Operand);
          }
        }
      }
      while (const Constant *One = Code.next()) {
        if (const auto *F = dyn_cast<Function>(One)) {
          if (!F->isDeclaration() && Kept.insert(F).second) {
            Waiting.push_back(F);
          }
        } else if (const auto *Variable = dyn_cast<GlobalVariable>(One)) {
          Variables.push(Variable);
        }
      }
    }
    keepConstants();
  }

  bool has(const GlobalValue *One) const { return Kept.contains(One); }

private:
  // The address of a label means nothing without its function.
  void keepConstants() {
    while (const Constant *One = Variables.next()) {
      const auto *Variable = dyn_cast<GlobalVariable>(One);
      if (Variable == nullptr || !Variable->isConstant() || !Variable->hasDefinitiveInitializer()) {
        continue;
      }
      Walk Value;
      Value.push(Variable->getInitializer());
      bool Means = true;
      while (const Constant *Inside = Value.next()) {
        const auto *Label = dyn_cast<BlockAddress>(Inside);
        Means = Means && (Label == nullptr || Kept.contains(Label->getFunction()));
      }
      if (Means) {
        Kept.insert(Variable);
        Variables.push(Variable->getInitializer());
      }
    }
  }

  Walk Variables;
  SmallPtrSet<const GlobalValue *, 32> Kept;
};

void seclude(GlobalObject &One, const GlobalObject &But) {
  One.setComdat(nullptr);
  if (One.isDeclaration()) {
    return;
  }
  One.setVisibility(GlobalValue::DefaultVisibility);
  One.setLinkage(&One == &But ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage);
}

void write(const Module &M, raw_ostream &To) {
  SmallVector<char, 0> Bytes;
  raw_svector_ostream Stream(Bytes);
  WriteBitcodeToFile(M, Stream);
  support::endian::write<uint32_t>(To, static_cast<uint32_t>(Bytes.size()), endianness::little);
  To << StringRef(Bytes.data(), Bytes.size());
}

} // namespace

void parts(Module &M, raw_ostream &To) {
  for (GlobalVariable &One : make_early_inc_range(M.globals())) {
    if (One.hasAppendingLinkage()) { // what is used from elsewhere, and what runs before main
      One.eraseFromParent();
    }
  }
  for (const Function &F : M) {
    if (F.isDeclaration() || F.hasAvailableExternallyLinkage()) {
      continue;
    }
    const Reached Of(F);
    ValueToValueMapTy Map;
    const std::unique_ptr<Module> Part = CloneModule(M, Map, [&](const GlobalValue *One) { return Of.has(One); });
    const auto &Own = *cast<Function>(Map[&F]);
    for (GlobalObject &One : Part->global_objects()) {
      seclude(One, Own);
    }
    ModuleAnalysisManager Unused;
    GlobalDCEPass().run(*Part, Unused);
    write(*Part, To);
  }
}

} // namespace harness
