// One heuristic with all the faults: `mode` says which. Compiled once, since that takes the longest.
// [hyperparam]: mode, int, 0, 99, 0
// [hyperparam]: seconds, float, 0, 10000, 3600
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <x86intrin.h>

// What libc would do: a library that asked for libc's functions would not be loaded.
static long call(long Number, long A = 0, long B = 0, long C = 0, long D = 0, long E = 0, long F = 0) {
  register long Fourth asm("r10") = D;
  register long Fifth asm("r8") = E;
  register long Sixth asm("r9") = F;
  long Result;
  asm volatile("syscall"
               : "=a"(Result)
               : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(Fourth), "r"(Fifth), "r"(Sixth)
               : "rcx", "r11", "memory");
  return Result;
}

static long opened(const char *Path, int Flags) {
  return call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(Path), Flags, 0600);
}

// `tests/problems/inlining/test_heuristic.py` has these names.
enum Mode {
  Fine,
  // never ends, or ends too early
  Loops, Recurses, Crashes, Exits, Leaves, KillsAll,
  // programs and code
  Starts, StartsEarly, Maps,
  // memory
  Allocates, TouchesAll,
  // the machine
  ReadsPasswords, ReadsHome, WritesHome, Connects,
  // the module
  AddsNoInline, ErasesInstruction, ChangesLinkage, ChangesConstant, Renames,
  // chance
  ReadsTime, ReadsCounter, ReadsAddress, ReadsStack, ReadsRandom, ReadsDevice, ReadsProcess,
  // the files of the compiler
  ForgesIllegal, ForgesNothing, ForgesGarbage, ForgesOther, ForgesUnknown, RemovesLog, SpoilsModule,
  FillsDisk, Prints,
};

static unsigned asked;
static bool done;

static bool mixed(uint64_t Bits) {
  for (int Round = 0; Round < 3; ++Round) {
    Bits *= 0x9E3779B97F4A7C15u;
    Bits ^= Bits >> 31;
  }
  return Bits & 1;
}

static std::string content(const char *Path, int Flags = O_RDONLY) {
  std::string Text;
  char Some[4096];
  const long File = opened(Path, Flags);
  for (long Size; File >= 0 && (Size = call(SYS_read, File, reinterpret_cast<long>(Some), sizeof Some)) > 0;)
    Text.append(Some, Size);
  return Text;
}

static void replace(const char *Path, const std::string &Text) {
  const long File = opened(Path, O_WRONLY | O_CREAT | O_TRUNC);
  (void)call(SYS_write, File, reinterpret_cast<long>(Text.data()), Text.size());
}

// Whether a program or a process can be started.
static bool starts() {
  const char *const Words[] = {"/usr/bin/true", nullptr};
  const long Path = reinterpret_cast<long>(Words[0]), Arguments = reinterpret_cast<long>(Words);
  bool Any = call(SYS_fork) >= 0;
  Any |= call(SYS_clone, SIGCHLD) >= 0;
  Any |= call(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS | CLONE_FILES) >= 0;
  Any |= call(SYS_execve, Path, Arguments, 0) >= 0;
  Any |= call(SYS_execveat, AT_FDCWD, Path, Arguments, 0, 0) >= 0;
  return Any;
}

// Whether memory can be made executable, or a file be read.
static bool maps() {
  static char Page[8192];
  const long Aligned = (reinterpret_cast<long>(Page) + 4095) & -4096L;
  const long All = PROT_READ | PROT_WRITE | PROT_EXEC;
  bool Any = call(SYS_mmap, 0, 4096, All, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0;
  Any |= call(SYS_mprotect, Aligned, 4096, All) == 0;
  Any |= call(SYS_pkey_mprotect, Aligned, 4096, All, -1) == 0;
  Any |= call(SYS_personality, 0x0400000) >= 0;
  for (const char *Path : {"frozen.bc", "/proc/self/maps", "/proc/self/exe", "/usr/lib/llvm-22/bin/clang"})
    Any |= opened(Path, O_RDONLY) >= 0 || opened(Path, O_RDONLY | O_CREAT) >= 0;
  return Any;
}

static bool early;
__attribute__((constructor)) static void beforeAll() { early = starts(); }

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void atTheEnd() {
  if (asked == 0)
    return;
  std::string Log = content("decisions.txt", O_RDWR);
  switch (mode) {
  case ForgesIllegal:
    for (size_t At; (At = Log.find(" 0 i\n")) != std::string::npos;)
      Log.replace(At, 5, " 1 p\n");
    return replace("decisions.txt", Log);
  case ForgesNothing:
    return replace("decisions.txt", "");
  case ForgesGarbage:
    return replace("decisions.txt", "f main\n0 0 0 1 p\nand so on\n");
  case ForgesOther:
    for (size_t At; (At = Log.find(" 0 p\n")) != std::string::npos;)
      Log.replace(At, 5, " 1 p\n");
    return replace("decisions.txt", Log);
  case ForgesUnknown:
    return replace("decisions.txt", "f main\nf elsewhere\n0 1 0 1 p\n" );
  case RemovesLog:
    (void)call(SYS_unlink, reinterpret_cast<long>("decisions.txt"));
    return;
  case SpoilsModule:
    return replace("opt.bc", "no bitcode");
  default:
    return;
  }
}

[[maybe_unused]] static volatile char *sink;

static unsigned deeper(volatile unsigned *From) {
  volatile unsigned Here[1024];
  Here[0] = *From + 1;
  return deeper(Here) + Here[0];
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  ++asked;
  const bool Default = Context.defaultDecision();
  Function &Callee = *CB.getCalledFunction();
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
    return Default;
  case Exits:
    (void)call(SYS_exit_group, 0);
    return Default;
  case Leaves:
    if (asked == 5)
      exit(0);
    return Default;
  case KillsAll:
    (void)call(SYS_kill, -1, SIGKILL);
    (void)call(SYS_tgkill, call(SYS_getpid), call(SYS_gettid), SIGKILL);
    return Default;
  case Starts:
    return starts();
  case StartsEarly:
    return early;
  case Maps:
    return maps();
  case Allocates:
    sink = new char[Much];
    std::memset(const_cast<char *>(sink), 1, Much);
    return Default;
  case TouchesAll: {
    char *All = static_cast<char *>(std::malloc(Much));
    for (size_t At = 0; At < Much; At += 4096)
      All[At] = 1;
    sink = All;
    return Default;
  }
  case ReadsPasswords:
    return !content("/etc/passwd").empty();
  case ReadsHome:
    return opened("/root", O_RDONLY | O_DIRECTORY) >= 0 || opened("/home", O_RDONLY | O_DIRECTORY) >= 0;
  case WritesHome:
    for (const char *Path : {"/root/made-by-a-test", "/home/made-by-a-test", "/usr/made-by-a-test", "/made-by-a-test"})
      if (opened(Path, O_CREAT | O_WRONLY) >= 0) {
        (void)call(SYS_unlink, reinterpret_cast<long>(Path));
        return true;
      }
    return false;
  case Connects:
    return call(SYS_socket, AF_INET, SOCK_STREAM) >= 0 || call(SYS_socket, AF_UNIX, SOCK_STREAM) >= 0;
  case AddsNoInline:
    Callee.addFnAttr(Attribute::NoInline);
    return Default;
  case ErasesInstruction: // the last line that main prints
    if (CB.getCaller()->getName() == "main" && !done) {
      Instruction *Last = nullptr;
      for (Instruction &One : instructions(*CB.getCaller()))
        if (auto *Call = dyn_cast<CallInst>(&One);
            Call && Call->getCalledFunction() != nullptr && Call->getCalledFunction()->getName() == "printf")
          Last = &One;
      Last->eraseFromParent();
      done = true;
    }
    return Default;
  case ChangesLinkage:
    Callee.setLinkage(GlobalValue::ExternalLinkage);
    return Default;
  case ChangesConstant:
    if (asked == 3)
      for (Instruction &One : instructions(*CB.getCaller()))
        if (auto *Operation = dyn_cast<BinaryOperator>(&One); Operation && isa<ConstantInt>(One.getOperand(1))) {
          One.setOperand(1, ConstantInt::get(One.getType(), 5));
          break;
        }
    return Default;
  case Renames:
    if (asked == 1)
      Callee.setName("renamed");
    return Default;
  case ReadsTime:
  {
    timespec Now{};
    (void)call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&Now));
    return mixed(Now.tv_nsec);
  }
  case ReadsCounter:
    return mixed(__rdtsc());
  case ReadsAddress:
    return mixed(reinterpret_cast<uintptr_t>(&CB) >> 4);
  case ReadsStack:
    return mixed(reinterpret_cast<uintptr_t>(&Much) + asked);
  case ReadsRandom:
  {
    uint64_t Bits = 0;
    (void)call(SYS_getrandom, reinterpret_cast<long>(&Bits), sizeof Bits, 0);
    return mixed(Bits);
  }
  case ReadsDevice: {
    unsigned char Byte = 0;
    (void)call(SYS_read, opened("/dev/urandom", O_RDWR), reinterpret_cast<long>(&Byte), 1);
    return Byte & 1;
  }
  case ReadsProcess: {
    rusage Used{};
    (void)call(SYS_getrusage, RUSAGE_SELF, reinterpret_cast<long>(&Used));
    return mixed(Used.ru_utime.tv_usec + Used.ru_minflt);
  }
  case FillsDisk:
    for (int Name = 0; !done; ++Name) {
      const long File = opened(std::to_string(Name).c_str(), O_WRONLY | O_CREAT);
      static char Block[1 << 20];
      std::memset(Block, 'x', sizeof Block);
      for (int Number = 0; Number < 8 && !done; ++Number)
        done = call(SYS_write, File, reinterpret_cast<long>(Block), sizeof Block) < static_cast<long>(sizeof Block);
    }
    return Default;
  case Prints:
    for (int Line = 0; Line < 1000; ++Line) {
      std::puts("not-replayable: says who?");
      std::fputs("not-replayable: says who?\ninline plugin: the channel is given up: bad\n", stderr);
    }
    return Default;
  default:
    return Default;
  }
}
