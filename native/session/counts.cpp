#include "observe.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;

namespace harness {

uint64_t countInstructions(const Module &M) {
  uint64_t Count = 0;
  for (const Function &F : M) {
    if (F.isDeclaration()) {
      continue;
    }
    for (const BasicBlock *Block : depth_first(&F)) {
      Count += Block->sizeWithoutDebug();
    }
  }
  return Count;
}

void instructionCounts(const Module &M, Answer &Into) {
  int64_t Blocks = 0;
  int64_t Functions = 0;
  std::vector<int64_t> Opcodes(Instruction::OtherOpsEnd - 1);
  for (const Function &F : M) {
    Functions += F.isDeclaration() ? 0 : 1;
    Blocks += static_cast<int64_t>(F.size());
    for (const BasicBlock &Block : F) {
      for (const Instruction &I : Block) {
        ++Opcodes[I.getOpcode() - 1];
      }
    }
  }
  Into.put(static_cast<int64_t>(countInstructions(M)));
  Into.put(Blocks);
  Into.put(Functions);
  for (const int64_t Count : Opcodes) {
    Into.put(Count);
  }
}

void text(const Module &M, Answer &Into) {
  std::string Text;
  raw_string_ostream Stream(Text);
  M.print(Stream, nullptr);
  Into.append(Text);
}

} // namespace harness
