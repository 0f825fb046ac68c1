// One policy of every question with all the faults, those of faults.h and its own: `mode` says which. Else it decides as
// Greedy does.

// `tests/problems/regalloc/test_failures.py` has these names.
enum Mode {
  // the code
  ChangesCode = Others,
  // the files of the compiler
  ForgesObject,
  ForgesGarbage,
  Leftovers,
};

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void atTheEnd() {
  if (asked != 0 && mode == ForgesObject)
    replace(output, "no object");
  if (asked != 0 && mode == ForgesGarbage)
    replace(decisions, "f main 1 listed\nand so on\n");
}

// Other constants in what only computes.
static void changeCode(const MachineFunction &MF) {
  for (const MachineBasicBlock &Block : MF)
    for (const MachineInstr &MI : Block)
      if (!MI.mayLoadOrStore() && !MI.isPseudo() && MI.getNumExplicitOperands() == 3 && MI.getOperand(2).isImm())
        const_cast<MachineOperand &>(MI.getOperand(2)).setImm(3);
}

// Whether to decide otherwise than Greedy.
static bool act(const MachineFunction &MF) {
  if (mode == ChangesCode)
    changeCode(MF);
  if (mode == Leftovers)
    replace(opened("left", O_WRONLY | O_CREAT | O_EXCL), "something");
  return misbehave().value_or(false);
}

double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  return act(Context.MF) ? LI.getSize() : Context.defaultPriority();
}

unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  return act(Context.MF) && Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
}

// Greedy with a priority function by chance: it finds registers for every function, and there are so many of them that
// the few functions of a program are not given the same ones twice.
static Allocation anyOfGreedys() {
  const auto First = static_cast<uint64_t>(Allocation::Constant), End = static_cast<uint64_t>(Allocation::Count);
  return static_cast<Allocation>(First + drawn() % (End - First));
}

Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  if (mode == ReadsRandom)
    return anyOfGreedys();
  return act(MF) ? Allocation::Basic : Allocation::Greedy;
}
