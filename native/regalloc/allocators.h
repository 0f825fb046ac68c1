// An allocator that lets another one allocate each function's registers: Greedy, or what is decided for the function.

#ifndef HARNESS_REGALLOC_ALLOCATORS_H
#define HARNESS_REGALLOC_ALLOCATORS_H

#include "llvm/CodeGen/MachineFunctionPass.h"
#include <memory>

namespace harness {

// What LLVM's option -regalloc calls it.
constexpr auto ByFunction = "by-function";

class Allocators final : public llvm::MachineFunctionPass {
public:
  Allocators();

  bool doInitialization(llvm::Module &M) override;
  bool doFinalization(llvm::Module &M) override;
  void releaseMemory() override;
  llvm::StringRef getPassName() const override { return "Register allocators by function"; }

  static char ID;

protected:
  void getAnalysisUsage(llvm::AnalysisUsage &Usage) const override;
  bool runOnMachineFunction(llvm::MachineFunction &MF) override;

private:
  llvm::FunctionPass &chosen(llvm::MachineFunction &MF);
  void share(llvm::FunctionPass &With);

  std::unique_ptr<llvm::FunctionPass> Greedy;
  std::unique_ptr<llvm::FunctionPass> Basic;
  std::unique_ptr<llvm::FunctionPass> PBQP;
};

} // namespace harness

#endif
