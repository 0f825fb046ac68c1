Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  return static_cast<Allocation>(250);
}
