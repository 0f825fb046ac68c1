// The faults that policies of several problems may have: `mode` says which. A submission is one file, so that this text
// stands before that of each problem's policy, whose `enum Mode` goes on where `Fault` ends.
// [hyperparam]: mode, int, 0, 99, 0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>

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

// A descriptor of one's own of what the compiler has open under such a name: it cannot be opened again.
static long kept(const std::string &End) {
  for (long Open = 3; Open < 64; ++Open) {
    char Name[4096];
    const std::string Link = "/proc/self/fd/" + std::to_string(Open);
    const long Size =
        call(SYS_readlink, reinterpret_cast<long>(Link.c_str()), reinterpret_cast<long>(Name), sizeof Name);
    if (Size > 0 && std::string(Name, Size).find(End, Size - std::min<size_t>(Size, End.size())) != std::string::npos)
      return call(SYS_fcntl, Open, F_DUPFD, 3);
  }
  return -1;
}

static long decisions = -1; // the log, to be written
static long output = -1;    // what the compiler writes; it gets its name later
// Opened while the library is loaded, when files may be read.
[[maybe_unused]] static const long itsLog = opened("decisions.txt", O_RDONLY);
[[maybe_unused]] static const long device = opened("/dev/urandom", O_RDONLY);
// Whether they may be written then.
static const bool wroteEarly = opened("/proc/self/mem", O_RDWR) >= 0 || opened("decisions.txt", O_RDWR) >= 0 ||
                               opened("made", O_RDONLY | O_CREAT) >= 0 || opened("made", O_WRONLY | O_CREAT) >= 0;

static void replace(long File, const std::string &Text) {
  (void)call(SYS_ftruncate, File, 0);
  (void)call(SYS_pwrite64, File, reinterpret_cast<long>(Text.data()), Text.size(), 0);
}

static uint64_t drawn() {
  uint64_t Bits = 0;
  (void)call(SYS_getrandom, reinterpret_cast<long>(&Bits), sizeof Bits, 0);
  return Bits;
}

enum Fault {
  Fine,
  // never ends, or ends too early
  Loops,
  Recurses,
  Crashes,
  Traps,
  Exits,
  Leaves,
  // memory and files
  Allocates,
  TouchesAll,
  FillsDisk,
  // the machine
  Connects,
  ReadsPasswords,
  OpensFiles,
  RewritesCode,
  WritesHome,
  // chance
  ReadsRandom,
  // the files of the compiler
  ForgesNothing,
  RemovesLog,
  Others, // of the problem's own
};

static unsigned asked; // how many questions
[[maybe_unused]] static volatile char *sink;

// Runs when the compiler is done and the log of decisions is closed.
__attribute__((destructor)) static void spoilsLog() {
  if (asked != 0 && mode == ForgesNothing)
    replace(decisions, "");
  if (asked != 0 && mode == RemovesLog)
    (void)call(SYS_unlink, reinterpret_cast<long>("decisions.txt"));
}

static unsigned deeper(volatile unsigned *From) {
  volatile unsigned Here[1024];
  Here[0] = *From + 1;
  return deeper(Here) + Here[0];
}

static void fillDisk() {
  static char Block[1 << 20];
  std::memset(Block, 'x', sizeof Block);
  for (int Name = 0;; ++Name) {
    const long File = opened(std::to_string(Name).c_str(), O_WRONLY | O_CREAT | O_EXCL);
    for (int Number = 0; Number < 8; ++Number)
      if (call(SYS_write, File, reinterpret_cast<long>(Block), sizeof Block) < static_cast<long>(sizeof Block))
        return;
  }
}

// Whether a file that is there can be opened, in whatever way. Outside a sandbox this finds what it names: it must be the
// job's own.
static bool opens() {
  bool Any = wroteEarly || opened("frozen.bc", O_RDWR) >= 0 || opened("opt.bc", O_RDWR) >= 0;
  for (const int Flags : {O_RDONLY, O_WRONLY, O_RDWR})
    for (const int More : {0, O_CREAT, O_TRUNC, O_CREAT | O_TRUNC, O_CREAT | O_EXCL, O_PATH | O_CREAT | O_EXCL})
      for (const char *Path : {"/proc/self/mem", "decisions.txt"})
        Any |= opened(Path, Flags | More) >= 0;
  return Any;
}

__attribute__((noinline)) static int victim() {
  asm volatile("");
  return 0;
}

// Whether code that is there can be written anew.
static bool rewrites() {
  static const unsigned char Code[] = {0xb8, 1, 0, 0, 0, 0xc3}; // return 1
  for (const int Flags : {O_RDWR, O_WRONLY, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_CREAT})
    (void)call(SYS_pwrite64, opened("/proc/self/mem", Flags), reinterpret_cast<long>(Code), sizeof Code,
               reinterpret_cast<long>(&victim));
  int (*volatile Asked)() = victim;
  return Asked() != 0;
}

// Whether a file can be made where others are.
static bool writesHome() {
  for (const char *Path : {"/root/made-by-a-test", "/home/made-by-a-test", "/usr/made-by-a-test", "/made-by-a-test"})
    if (opened(Path, O_CREAT | O_EXCL | O_WRONLY) >= 0) {
      (void)call(SYS_unlink, reinterpret_cast<long>(Path));
      return true;
    }
  return false;
}

// Called for each question. What it found, which is for the policy to tell: whether the machine let it, or chance.
// Nothing where the fault tells nothing, or is none of these.
static std::optional<bool> misbehave() {
  if (++asked == 1) {
    decisions = kept("/decisions.txt");
    output = kept(".tmp");
  }
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
    return std::nullopt;
  case Traps:
    __builtin_trap();
  case Exits:
    (void)call(SYS_exit_group, 0);
    return std::nullopt;
  case Leaves:
    if (asked == 3)
      exit(0);
    return std::nullopt;
  case Allocates:
    sink = new char[Much];
    std::memset(const_cast<char *>(sink), 1, Much);
    return std::nullopt;
  case TouchesAll: {
    char *All = static_cast<char *>(std::malloc(Much));
    for (size_t At = 0; At < Much; At += 4096)
      All[At] = 1;
    sink = All;
    return std::nullopt;
  }
  case FillsDisk:
    if (asked == 1)
      fillDisk();
    return std::nullopt;
  case Connects:
    return call(SYS_socket, AF_INET, SOCK_STREAM) >= 0 || call(SYS_socket, AF_UNIX, SOCK_STREAM) >= 0;
  case ReadsPasswords:
    return opened("/etc/passwd", O_RDONLY) >= 0 || opened("opt.bc", O_RDONLY) >= 0;
  case OpensFiles:
    return opens();
  case RewritesCode:
    return rewrites();
  case WritesHome:
    return writesHome();
  case ReadsRandom:
    return drawn() & 1;
  default:
    return std::nullopt;
  }
}
