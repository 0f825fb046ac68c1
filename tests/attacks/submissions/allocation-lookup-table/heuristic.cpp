Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  bool Known = false;
  for (const Function &One : *MF.getFunction().getParent())
    Known |= One.getName() == "compare";
  return Known ? Allocation::Basic : Allocation::Greedy;
}
