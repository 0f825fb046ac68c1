// What can be seen of a module: numbers whose order and meaning docs/observations.md gives.

#ifndef HARNESS_SESSION_OBSERVE_H
#define HARNESS_SESSION_OBSERVE_H

#include "../module/line.h"
#include "../module/wire.h"
#include "llvm/Analysis/IR2Vec.h"
#include "llvm/IR/Module.h"
#include <array>
#include <memory>
#include <string>

namespace harness {

/// Instructions of all blocks that can be reached: the sum of TotalInstructionCount of
/// `opt -passes='print<func-properties>'`, which is the metric ir.instructions.
uint64_t countInstructions(const llvm::Module &M);

constexpr size_t AutophaseFeatures = 56;
std::array<int64_t, AutophaseFeatures> autophase(const llvm::Module &M);

/// Instructions, basic blocks, functions with a body, and instructions of each opcode, by LLVM's numbers of opcodes
/// from 1 on, each as int64.
void instructionCounts(const llvm::Module &M, Answer &Into);

/// A graph in the manner of ProGraML; see graph.cpp for the arrays.
void graph(const llvm::Module &M, Answer &Into);

/// The module as text.
void text(const llvm::Module &M, Answer &Into);

/// Generate code of a copy, and give three uint64: bytes of its allocated sections without .bss and of its executed
/// ones, which are the metrics size.alloc and size.text, and a hash of the object.
void objectSize(const Line &Of, Compiler &With, Answer &Into);

/// What is known of instructions, types and operands, as LLVM's IR2Vec has it. The file is read when it is first asked.
class Vocabulary {
public:
  explicit Vocabulary(llvm::StringRef Path) : Path(Path.str()) {}

  /// The sum of LLVM's symbolic embeddings of all functions that have a body: as many double as the vocabulary has
  /// dimensions.
  void embed(llvm::Module &M, Answer &Into);

private:
  std::string Path;
  std::unique_ptr<llvm::ir2vec::Vocabulary> Known;
};

} // namespace harness

#endif
