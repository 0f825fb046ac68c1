// A heuristic with all the faults, those of faults.h and its own: `mode` says which. Compiled once, since that takes the
// longest.
#include <cstdio>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

// `tests/problems/inlining/test_heuristic.py` has these names.
enum Mode {
  // ends others
  KillsAll = Others,
  // programs and code
  Starts, StartsEarly, Maps,
  // the machine
  ReadsHome,
  // the module
  AddsNoInline, ErasesInstruction, ChangesLinkage, ChangesConstant, Renames,
  // chance
  ReadsTime, ReadsCounter, ReadsAddress, ReadsStack, ReadsDevice, ReadsProcess,
  // the files of the compiler
  ForgesIllegal, ForgesGarbage, ForgesOther, ForgesUnknown, SpoilsModule,
  Prints,
};

static bool done;

static bool mixed(uint64_t Bits) {
  for (int Round = 0; Round < 3; ++Round) {
    Bits *= 0x9E3779B97F4A7C15u;
    Bits ^= Bits >> 31;
  }
  return Bits & 1;
}

static std::string content(long File) {
  std::string Text;
  char Some[4096];
  for (long Size; (Size = call(SYS_read, File, reinterpret_cast<long>(Some), sizeof Some)) > 0;)
    Text.append(Some, Size);
  return Text;
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

static bool mappedEarly; // memory that can be written and executed

// Whether memory can be made executable, or a file be read.
static bool maps() {
  if (mappedEarly)
    return true;
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
__attribute__((constructor)) static void beforeAll() {
  early = starts();
  const long All = PROT_READ | PROT_WRITE | PROT_EXEC;
  const long Written = call(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mappedEarly = call(SYS_mmap, 0, 4096, All, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0 ||
                call(SYS_mprotect, Written, 4096, PROT_READ | PROT_EXEC) == 0;
}

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void atTheEnd() {
  if (asked == 0)
    return;
  std::string Log = content(itsLog);
  switch (mode) {
  case ForgesIllegal:
    for (size_t At; (At = Log.find(" 0 i\n")) != std::string::npos;)
      Log.replace(At, 5, " 1 p\n");
    return replace(decisions, Log);
  case ForgesGarbage:
    return replace(decisions, "f main\n0 0 0 1 p\nand so on\n");
  case ForgesOther:
    for (size_t At; (At = Log.find(" 0 p\n")) != std::string::npos;)
      Log.replace(At, 5, " 1 p\n");
    return replace(decisions, Log);
  case ForgesUnknown:
    return replace(decisions, "f main\nf elsewhere\n0 1 0 1 p\n" );
  case SpoilsModule:
    return replace(output, "no bitcode");
  default:
    return;
  }
}

bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  if (const std::optional<bool> Found = misbehave())
    return *Found;
  const bool Default = Context.defaultDecision();
  Function &Callee = *CB.getCalledFunction();
  switch (mode) {
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
  case ReadsHome:
    return opened("/root", O_RDONLY | O_DIRECTORY) >= 0 || opened("/home", O_RDONLY | O_DIRECTORY) >= 0;
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
    return mixed(reinterpret_cast<uintptr_t>(&Default) + asked);
  case ReadsDevice: {
    unsigned char Byte = 0;
    (void)call(SYS_read, device, reinterpret_cast<long>(&Byte), 1);
    return Byte & 1;
  }
  case ReadsProcess: {
    rusage Used{};
    (void)call(SYS_getrusage, RUSAGE_SELF, reinterpret_cast<long>(&Used));
    return mixed(Used.ru_utime.tv_usec + Used.ru_minflt);
  }
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
