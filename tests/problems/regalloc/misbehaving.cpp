// One policy of every question with all the faults: `mode` says which. Else it decides as Greedy does.
// [hyperparam]: mode, int, 0, 99, 0
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>

// What libc would do: a library that asked for libc's functions would not be loaded.
static long call(long Number, long A = 0, long B = 0, long C = 0, long D = 0) {
  register long Fourth asm("r10") = D;
  long Result;
  asm volatile("syscall" : "=a"(Result) : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(Fourth) : "rcx", "r11", "memory");
  return Result;
}

static long opened(const char *Path, int Flags) {
  return call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(Path), Flags, 0600);
}

// `tests/problems/regalloc/test_failures.py` has these names.
enum Mode {
  Fine,
  // never ends, or ends too early
  Loops,
  Recurses,
  Crashes,
  Exits,
  Leaves,
  // memory and files
  Allocates,
  TouchesAll,
  FillsDisk,
  // the machine
  Connects,
  ReadsPasswords,
  WritesHome,
  // the code
  ChangesCode,
  // chance
  ReadsRandom,
  // the files of the compiler
  ForgesObject,
  ForgesNothing,
  ForgesGarbage,
  RemovesLog,
  Leftovers,
};

static unsigned asked;
[[maybe_unused]] static volatile char *sink;

static void replace(const char *Path, const std::string &Text) {
  const long File = opened(Path, O_WRONLY | O_CREAT | O_TRUNC);
  (void)call(SYS_write, File, reinterpret_cast<long>(Text.data()), Text.size());
}

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void atTheEnd() {
  if (asked == 0)
    return;
  switch (mode) {
  case ForgesObject:
    return replace("program.o", "no object");
  case ForgesNothing:
    return replace("decisions.txt", "");
  case ForgesGarbage:
    return replace("decisions.txt", "f main 1 listed\nand so on\n");
  case RemovesLog:
    (void)call(SYS_unlink, reinterpret_cast<long>("decisions.txt"));
    return;
  default:
    return;
  }
}

static unsigned deeper(volatile unsigned *From) {
  volatile unsigned Here[1024];
  Here[0] = *From + 1;
  return deeper(Here) + Here[0];
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
  ++asked;
  const size_t Much = size_t(50) << 30;
  switch (mode) {
  case Loops:
    for (volatile int Turn = 0;; Turn = Turn + 1) {
    }
  case Recurses: {
    volatile unsigned Start = 0;
    return deeper(&Start) & 1;
  }
  case Crashes:
    *reinterpret_cast<volatile int *>(8) = 1;
    return false;
  case Exits:
    (void)call(SYS_exit_group, 0);
    return false;
  case Leaves:
    if (asked == 3)
      exit(0);
    return false;
  case Allocates:
    sink = new char[Much];
    std::memset(const_cast<char *>(sink), 1, Much);
    return false;
  case TouchesAll: {
    char *All = static_cast<char *>(std::malloc(Much));
    for (size_t At = 0; At < Much; At += 4096)
      All[At] = 1;
    sink = All;
    return false;
  }
  case FillsDisk: {
    static char Block[1 << 20];
    std::memset(Block, 'x', sizeof Block);
    for (int Name = 0; asked == 1 && Name < 1000; ++Name) {
      const long File = opened(std::to_string(Name).c_str(), O_WRONLY | O_CREAT);
      for (int Number = 0; Number < 8; ++Number)
        if (call(SYS_write, File, reinterpret_cast<long>(Block), sizeof Block) < static_cast<long>(sizeof Block))
          return false;
    }
    return false;
  }
  case Connects:
    return call(SYS_socket, AF_INET, SOCK_STREAM) >= 0 || call(SYS_socket, AF_UNIX, SOCK_STREAM) >= 0;
  case ReadsPasswords:
    return opened("/etc/passwd", O_RDONLY) >= 0 || opened("opt.bc", O_RDONLY) >= 0;
  case WritesHome:
    for (const char *Path : {"/root/made-by-a-test", "/home/made-by-a-test", "/usr/made-by-a-test", "/made-by-a-test"})
      if (opened(Path, O_CREAT | O_WRONLY) >= 0) {
        (void)call(SYS_unlink, reinterpret_cast<long>(Path));
        return true;
      }
    return false;
  case ChangesCode:
    changeCode(MF);
    return false;
  case ReadsRandom: {
    uint64_t Bits = 0;
    (void)call(SYS_getrandom, reinterpret_cast<long>(&Bits), sizeof Bits, 0);
    return Bits & 1;
  }
  case Leftovers:
    replace("left", "something");
    return false;
  default:
    return false;
  }
}

double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  return act(Context.MF) ? LI.getSize() : Context.defaultPriority();
}

unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {
  return act(Context.MF) && Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
}

Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  return act(MF) ? Allocation::Basic : Allocation::Greedy;
}
