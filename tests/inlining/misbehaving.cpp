// One heuristic with all the faults: `mode` says which. Compiled once, since that takes the longest.
// [hyperparam]: mode, int, 0, 99, 0
// [hyperparam]: seconds, float, 0, 10000, 3600
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

// `tests/inlining/test_heuristic.py` has these names.
enum Mode {
  Fine,
  // never ends, or ends too early
  Loops, Recurses, Crashes, Exits, Leaves, KillsAll,
  // processes
  Forks, ForksAndDecides, ForkBomb,
  // memory
  Allocates, TouchesAll, AllocatesWithChildren,
  // the machine
  ReadsPasswords, ReadsHome, WritesHome, Connects,
  // the module
  AddsNoInline, ErasesInstruction, ChangesLinkage, ChangesConstant, Renames,
  // chance
  ReadsTime, ReadsCounter, ReadsAddress, ReadsStack, ReadsRandom, ReadsDevice, ReadsProcess,
  // the files of the compiler
  ForgesIllegal, ForgesNothing, ForgesGarbage, ForgesOther, ForgesUnknown, RemovesLog, LinksLog, SpoilsModule,
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

static std::string content(const char *Path) {
  std::string Text;
  if (FILE *File = std::fopen(Path, "r")) {
    for (int Byte = std::fgetc(File); Byte != EOF; Byte = std::fgetc(File))
      Text += static_cast<char>(Byte);
    std::fclose(File);
  }
  return Text;
}

static void replace(const char *Path, const std::string &Text) {
  if (FILE *File = std::fopen(Path, "w")) {
    std::fwrite(Text.data(), 1, Text.size(), File);
    std::fclose(File);
  }
}

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void atTheEnd() {
  if (asked == 0)
    return;
  std::string Log = content("decisions.txt");
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
    unlink("decisions.txt");
    return;
  case LinksLog:
    unlink("decisions.txt");
    (void)!symlink("/usr/include/stdio.h", "decisions.txt");
    return;
  case SpoilsModule:
    return replace("opt.bc", "no bitcode");
  default:
    return;
  }
}

static bool canRead(const char *Folder) {
  DIR *Opened = opendir(Folder);
  unsigned Entries = 0;
  while (Opened != nullptr && readdir(Opened) != nullptr)
    ++Entries;
  return Entries > 2;
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
    _exit(0);
  case Leaves:
    if (asked == 5)
      exit(0);
    return Default;
  case KillsAll:
    kill(-1, SIGKILL);
    kill(getpid(), SIGKILL);
    return Default;
  case Forks:
    if (asked == 1 && fork() == 0) {
      setsid();
      execl("/usr/bin/sleep", "sleep", std::to_string(seconds).c_str(), nullptr);
      _exit(1);
    }
    return Default;
  case ForksAndDecides:
    if (asked == 1)
      return fork() == 0;
    return Default;
  case ForkBomb:
    for (;;)
      if (fork() < 0 && errno != EAGAIN)
        return Default;
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
  case AllocatesWithChildren:
    for (int Child = 0; Child < 3 && fork() > 0; ++Child) {
    }
    for (;;) {
      void *New = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (New == MAP_FAILED)
        pause();
      std::memset(New, 1, 1 << 20);
    }
  case ReadsPasswords:
    return !content("/etc/passwd").empty();
  case ReadsHome:
    return canRead("/root") || canRead("/home");
  case WritesHome:
    for (const char *Path : {"/root/made-by-a-test", "/home/made-by-a-test", "/usr/made-by-a-test", "/made-by-a-test"})
      if (open(Path, O_CREAT | O_WRONLY, 0600) >= 0) {
        unlink(Path);
        return true;
      }
    return false;
  case Connects:
    return socket(AF_INET, SOCK_STREAM, 0) >= 0;
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
    return mixed(std::chrono::steady_clock::now().time_since_epoch().count());
  case ReadsCounter:
    return mixed(__rdtsc());
  case ReadsAddress:
    return mixed(reinterpret_cast<uintptr_t>(&CB) >> 4);
  case ReadsStack:
    return mixed(reinterpret_cast<uintptr_t>(&Much) + asked);
  case ReadsRandom:
    return mixed(std::random_device{}());
  case ReadsDevice: {
    unsigned char Byte = 0;
    FILE *File = std::fopen("/dev/urandom", "r");
    Byte = File != nullptr ? std::fgetc(File) : 0;
    return Byte & 1;
  }
  case ReadsProcess:
    return mixed(std::hash<std::string>{}(content("/proc/self/stat")));
  case FillsDisk:
    for (int Name = 0; !done; ++Name) {
      FILE *File = std::fopen(std::to_string(Name).c_str(), "w");
      for (int Block = 0; File != nullptr && Block < 8 && !done; ++Block)
        done = std::fwrite(std::string(1 << 20, 'x').data(), 1, 1 << 20, File) < 1 << 20;
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
