// The digest by which near-duplicates are found.

#include "facts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace harness {
namespace {

constexpr uint32_t Indirect = 1U << 31U; // no intrinsic's number
constexpr uint32_t Direct = Indirect | 1U;

class Shape {
public:
  void put(uint32_t Number) {
    for (unsigned Byte = 0; Byte < sizeof(Number); ++Byte) {
      Bytes.push_back(static_cast<uint8_t>(Number >> (8 * Byte)));
    }
  }

  // The kind of a type: its width where it is a number; of an aggregate no more than that it is one.
  void put(const Type *Of) {
    put(Of->getTypeID());
    put(Of->isIntegerTy() ? Of->getIntegerBitWidth() : 0);
  }

  std::string digest() const {
    const XXH128_hash_t Hash = xxh3_128bits(Bytes);
    return utohexstr(Hash.high64, /*LowerCase=*/true, /*Width=*/16) +
           utohexstr(Hash.low64, /*LowerCase=*/true, /*Width=*/16);
  }

private:
  SmallVector<uint8_t, 0> Bytes;
};

// What an instruction does beyond its opcode.
uint32_t kindOf(const Instruction &I) {
  if (const auto *Compare = dyn_cast<CmpInst>(&I)) {
    return Compare->getPredicate();
  }
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    if (Callee == nullptr) {
      return Indirect;
    }
    return Callee->isIntrinsic() ? Callee->getIntrinsicID() : Direct;
  }
  return 0;
}

} // namespace

std::string shapeOf(const Function &F) {
  Shape Seen;
  Seen.put(F.getReturnType());
  for (const Argument &One : F.args()) {
    Seen.put(One.getType());
  }
  DenseMap<const BasicBlock *, uint32_t> Places;
  for (const BasicBlock &Block : F) {
    Places.try_emplace(&Block, Places.size());
  }
  for (const BasicBlock &Block : F) {
    for (const Instruction &I : Block) {
      if (isa<DbgInfoIntrinsic>(I)) {
        continue;
      }
      Seen.put(I.getOpcode());
      Seen.put(I.getType());
      Seen.put(kindOf(I));
      Seen.put(I.getNumOperands());
      for (const Value *Operand : I.operand_values()) {
        Seen.put(Operand->getType());
      }
    }
    for (const BasicBlock *Next : successors(&Block)) {
      Seen.put(Places.lookup(Next));
    }
  }
  return Seen.digest();
}

} // namespace harness
