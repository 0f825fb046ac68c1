// A module as a graph, in the manner of ProGraML (Cummins et al., 2021): a node for each instruction, each value that
// is no instruction's name for nothing, and each constant; edges for control, data and calls.
//
// Written as: the numbers of nodes and edges (two uint32); of each node its kind (uint8: 0 instruction, 1 variable,
// 2 constant), its opcode (uint8; 0 where it is none), LLVM's number of its type's sort (uint8) and a zero; of each
// edge where it starts and ends (two uint32), its flow (uint16: 0 control, 1 data, 2 call) and its position (uint16):
// the number of the successor or operand.

#include "observe.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>
#include <limits>
#include <vector>

using namespace llvm;

namespace harness {
namespace {

enum class Kind : uint8_t { Instruction, Variable, Constant };
enum class Flow : uint16_t { Control, Data, Call }; // NOLINT(performance-enum-size): as it goes over the wire

struct Node {
  Kind Is;
  uint8_t Opcode;
  uint8_t Sort;
  uint8_t Zero;
};

struct Edge {
  uint32_t From;
  uint32_t To;
  Flow Is;
  uint16_t Position;
};

class Graph {
public:
  explicit Graph(const Module &M) {
    for (const Function &F : M) {
      for (const Instruction &I : instructions(F)) {
        Instructions[&I] = add(Kind::Instruction, I.getOpcode(), I.getType());
      }
    }
    for (const Function &F : M) {
      for (const Instruction &I : instructions(F)) {
        addControl(I);
        addData(I);
        addCalls(I);
      }
    }
  }

  void write(Answer &Into) const {
    Into.put(static_cast<uint32_t>(Nodes.size()));
    Into.put(static_cast<uint32_t>(Edges.size()));
    for (const Node &One : Nodes) {
      Into.put(One);
    }
    for (const Edge &One : Edges) {
      Into.put(One);
    }
  }

private:
  uint32_t add(Kind Is, unsigned Opcode, const Type *Of) {
    Nodes.push_back({Is, static_cast<uint8_t>(Opcode), static_cast<uint8_t>(Of->getTypeID()), 0});
    return static_cast<uint32_t>(Nodes.size() - 1);
  }

  void connect(uint32_t From, uint32_t To, Flow Is, size_t Position) {
    constexpr size_t Most = std::numeric_limits<uint16_t>::max();
    Edges.push_back({From, To, Is, static_cast<uint16_t>(std::min(Position, Most))});
  }

  /// To the next instruction of the block, or from its last one to the first of each that may follow.
  void addControl(const Instruction &I) {
    const uint32_t From = Instructions.lookup(&I);
    if (!I.isTerminator()) {
      connect(From, Instructions.lookup(I.getNextNode()), Flow::Control, 0);
      return;
    }
    for (unsigned At = 0; At < I.getNumSuccessors(); ++At) {
      connect(From, Instructions.lookup(&I.getSuccessor(At)->front()), Flow::Control, At);
    }
  }

  /// From each operand, and to what the instruction gives.
  void addData(const Instruction &I) {
    const uint32_t Here = Instructions.lookup(&I);
    for (const Use &Operand : I.operands()) {
      if (isa<BasicBlock>(Operand) || isa<MetadataAsValue>(Operand)) {
        continue;
      }
      connect(valueNode(*Operand), Here, Flow::Data, Operand.getOperandNo());
    }
    if (!I.getType()->isVoidTy()) {
      connect(Here, valueNode(I), Flow::Data, 0);
    }
  }

  /// From a call to the first instruction of the function, and from each of its returns back.
  void addCalls(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call != nullptr ? Call->getCalledFunction() : nullptr;
    if (Callee == nullptr || Callee->isDeclaration()) {
      return;
    }
    const uint32_t Here = Instructions.lookup(&I);
    connect(Here, Instructions.lookup(&Callee->getEntryBlock().front()), Flow::Call, 0);
    for (const BasicBlock &Block : *Callee) {
      if (isa<ReturnInst>(Block.getTerminator())) {
        connect(Instructions.lookup(Block.getTerminator()), Here, Flow::Call, 0);
      }
    }
  }

  uint32_t valueNode(const Value &Of) {
    const auto Known = Values.find(&Of);
    if (Known != Values.end()) {
      return Known->second;
    }
    const uint32_t Made = add(isa<Constant>(Of) ? Kind::Constant : Kind::Variable, 0, Of.getType());
    Values[&Of] = Made;
    return Made;
  }

  std::vector<Node> Nodes;
  std::vector<Edge> Edges;
  DenseMap<const Instruction *, uint32_t> Instructions;
  DenseMap<const Value *, uint32_t> Values;
};

} // namespace

void graph(const Module &M, Answer &Into) { Graph(M).write(Into); }

} // namespace harness
