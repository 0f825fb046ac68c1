// The job's limits, its cores, its start.

#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kStack = 8 << 20 };

// Keep this process and all that come of it on these cores: affinity is set, and a filter in front of the kernel then
// refuses to change it, which needs no right otherwise. Calls of other architectures are the first filter's affair.
static bool stay_on(const cpu_set_t *cores, bool isolated) {
  if (sched_setaffinity(0, sizeof *cores, cores) != 0) {
    return false;
  }
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  return !isolated || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void limit(int resource, int64_t soft, int64_t hard) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) {
    fail("getrlimit");
  }
  if (now.rlim_max == RLIM_INFINITY || (rlim_t)hard < now.rlim_max) {
    now.rlim_max = (rlim_t)hard;
  }
  now.rlim_cur = (rlim_t)soft < now.rlim_max ? (rlim_t)soft : now.rlim_max;
  if (setrlimit(resource, &now) != 0) {
    fail("setrlimit");
  }
}

static void set_limits(const struct Limits *limits) {
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_RTPRIO, 0, 0); // a host may allow its users to go before others: the guard among them
  limit(RLIMIT_NICE, 0, 0);
  limit(RLIMIT_STACK, kStack, kStack);
  if (limits->cpu_ms > 0) {
    // The guard is more exact; this holds if it is held up. The kernel counts by ticks here, which a busy machine has
    // run fast by a few per cent: a compiler's driver would then report the end of its child as a fault of its own.
    int64_t seconds = limits->cpu_ms * 5 / 4 / 1000 + 1;
    limit(RLIMIT_CPU, seconds, seconds + 1);
  }
  if (limits->address_space > 0) {
    limit(RLIMIT_AS, limits->address_space, limits->address_space);
  }
  if (limits->file_size > 0) {
    limit(RLIMIT_FSIZE, limits->file_size, limits->file_size);
  }
  if (limits->open_files > 0) {
    limit(RLIMIT_NOFILE, limits->open_files, limits->open_files);
  }
  if (limits->processes > 0) {
    limit(RLIMIT_NPROC, limits->processes + 1, limits->processes + 1);
  }
}

static void prefer_for_oom(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!write(file, "1000", 4);
    (void)close(file);
  }
}

static _Noreturn void become(const struct Job *job, bool isolated, int failure) {
  sigset_t none;
  (void)sigemptyset(&none);
  for (int number = 1; number < NSIG; number++) {
    (void)signal(number, SIG_DFL);
  }
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_DUMPABLE, 1); // until here it was the guard's copy; /proc/self belongs to it again
  prefer_for_oom();
  set_limits(&job->limits);
  bool placed = CPU_COUNT(&job->cores) == 0 || stay_on(&job->cores, isolated);
  if (placed && chdir(job->scratch) == 0) {
    (void)syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int at = 0; at < job->kept_count; at++) {
      (void)fcntl(job->kept[at], F_SETFD, 0);
    }
    (void)execve(job->program, job->arguments, job->environment);
  }
  int number = errno;
  (void)!write(failure, &number, sizeof number);
  _exit(EXIT_FAILURE);
}

// Start the job; 0 and `*number` set to an errno when it cannot be started.
pid_t start(const struct Job *job, int *number) {
  int failure[2];
  bool isolated = is_isolated();
  if (pipe2(failure, O_CLOEXEC) != 0) {
    fail("pipe");
  }
  pid_t child = fork();
  if (child < 0) {
    fail("fork");
  }
  if (child == 0) {
    become(job, isolated, failure[1]);
  }
  (void)close(failure[1]);
  for (int at = 0; at < job->kept_count; at++) {
    (void)close(job->kept[at]);
  }
  ssize_t size = read(failure[0], number, sizeof *number);
  (void)close(failure[0]);
  if (size == (ssize_t)sizeof *number) {
    (void)waitpid(child, NULL, 0);
    return 0;
  }
  return child;
}
