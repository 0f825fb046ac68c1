Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  const_cast<MachineRegisterInfo &>(MF.getRegInfo()).setCalleeSavedRegs({});
  return Allocation::Greedy;
}
