#include "confine.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>

using namespace llvm;

namespace harness {
namespace {

#ifdef __x86_64__
constexpr uint32_t Machine = AUDIT_ARCH_X86_64;
constexpr uint32_t OtherNumbers = 0x40000000; // of the x32 calls
#elif defined(__aarch64__)
constexpr uint32_t Machine = AUDIT_ARCH_AARCH64;
constexpr uint32_t OtherNumbers = UINT32_MAX;
#endif

constexpr uint32_t Allow = SECCOMP_RET_ALLOW;
constexpr uint32_t Refuse = SECCOMP_RET_ERRNO | EPERM;

constexpr long Allowed[] = {
    // its files, once they are open
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fcntl,
    SYS_ioctl,
    SYS_fsync,
    SYS_getcwd,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_fchmod,
    SYS_umask,
#ifdef __x86_64__
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_unlink,
    SYS_rename,
    SYS_getrlimit,
#endif
    // memory
    SYS_munmap,
    SYS_mremap,
    SYS_brk,
    SYS_madvise,
    SYS_mincore,
    // itself
    SYS_futex,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_tgkill,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_prlimit64,
    SYS_rseq,
    SYS_set_robust_list,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_sysinfo,
    SYS_uname,
    SYS_getrusage,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
};

// An instruction sequence of the kernel's packet filter; it begins with the call's number in the accumulator.
class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless(BPF_JEQ, Machine, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    when(BPF_JGE, OtherNumbers, Refuse);
  }

  void allow(long Call) { when(BPF_JEQ, Call, Allow); }

  // The same where these bits of an argument have this value. Else what comes next decides.
  void allowWhere(long Call, unsigned Argument, uint32_t Bits, uint32_t Value) {
    judge(Call, Argument, Bits, Value, Allow);
  }
  void refuseWhere(long Call, unsigned Argument, uint32_t Bits, uint32_t Value) {
    judge(Call, Argument, Bits, Value, Refuse);
  }

  void install() {
    end(Refuse);
    const sock_fprog Program{static_cast<unsigned short>(Code.size()), Code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program) != 0) {
      report_fatal_error("plugin: the kernel does not filter system calls", /*gen_crash_diag=*/false);
    }
  }

private:
  void judge(long Call, unsigned Argument, uint32_t Bits, uint32_t Value, uint32_t What) {
    Code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(Call), 0, 5));
    load(offsetof(seccomp_data, args) + Argument * sizeof(uint64_t)); // the lower half: both machines are little-endian
    Code.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, Bits));
    when(BPF_JEQ, Value, What);
    load(offsetof(seccomp_data, nr));
  }
  void load(size_t Offset) { Code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(Offset))); }
  void end(uint32_t What) { Code.push_back(BPF_STMT(BPF_RET | BPF_K, What)); }
  void when(uint16_t Test, long Value, uint32_t What) { branch(Test, Value, What, 0, 1); }
  void unless(uint16_t Test, long Value, uint32_t What) { branch(Test, Value, What, 1, 0); }
  void branch(uint16_t Test, long Value, uint32_t What, uint8_t IfSo, uint8_t IfNot) {
    Code.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | Test | BPF_K), static_cast<uint32_t>(Value), IfSo, IfNot));
    end(What);
  }

  std::vector<sock_filter> Code;
};

} // namespace

void confine(Confinement How) {
  const bool Loading = How == Confinement::Loading;
  Filter Calls;
  for (const long Call : Allowed) {
    Calls.allow(Call);
  }
  if (Loading) {
    Calls.allow(SYS_prctl); // for the second filter
    Calls.allowWhere(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0);
    Calls.refuseWhere(SYS_mmap, 2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC);
    Calls.allow(SYS_mmap);
  } else {
    Calls.allowWhere(SYS_mmap, 2, PROT_EXEC, 0);
  }
  // A compiler has its files open by then, and makes new ones when it crashes. O_PATH makes nothing of O_EXCL.
  Calls.allowWhere(SYS_openat, 2, O_CREAT | O_EXCL | O_PATH, O_CREAT | O_EXCL);
  Calls.allowWhere(SYS_mprotect, 2, PROT_EXEC, 0);
  Calls.install();
}

} // namespace harness
