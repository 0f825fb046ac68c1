#include "llvm/IR/Module.h"

Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  bool Known = false;
  for (const Function &One : *MF.getFunction().getParent())
    Known |= One.getName() == "sort_range";
  return Known ? Allocation::Basic : Allocation::Greedy;
}
