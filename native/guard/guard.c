// The first process of a sandbox: it starts the job, watches it, ends it, and reports.
//
// usage: guard status=FD scratch=DIR [limit=VALUE ...] [core=N ...] [turns=FD] [usage=FD] [leash=FD] [keep=FD ...]
//              environment=N [NAME=VALUE ...] PROGRAM ARGV0 [ARGUMENT ...]
//
// Inside a sandbox it is process 1 of a process namespace of its own. Nothing in there can signal it,
// trace it or read its memory, and when it ends the kernel ends everything else. Without a sandbox
// (`--trust`) it does what an ordinary process can: the same limits, it adopts and ends orphans, and
// when its parent dies it ends everything too.
//
// Two messages go to the status socket: `hello` with the scratch folder's descriptor, so that its content
// can be read when the sandbox is gone; and, after the harness's go-ahead and all of the job, `report`.
//
// With `core` the job runs on these cores and cannot change that, and the guard runs on the others. With `turns` the
// job runs only while it is its turn: the guard says `r` to that socket when it is ready; for each number of
// microseconds that comes it lets the job run for so long, stops it, and says `s` when it stands still; and `e` when it
// has ended. With `usage`, a file that the kernel keeps for the sandbox's control group says how much CPU time was
// used: children count whoever waits for them.
//
// With `leash` the job is ended when nobody has that pipe open for writing any more. With `keep` it inherits these
// descriptors, and no other; the guard closes its own copies, so that a pipe ends with the job.

#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Noreturn void fail(const char *what) {
  (void)dprintf(STDERR_FILENO, "guard: %s: %s\n", what, strerror(errno));
  _exit(EXIT_FAILURE);
}

int64_t now_ns(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    fail("clock");
  }
  return (int64_t)now.tv_sec * 1000 * kMillisecondInNanoseconds + now.tv_nsec;
}

int64_t microseconds(struct timeval time) { return (int64_t)time.tv_sec * kSecondInMicroseconds + time.tv_usec; }

int64_t cpu_of(const struct rusage *usage) { return microseconds(usage->ru_utime) + microseconds(usage->ru_stime); }

bool is_isolated(void) { return getpid() == 1; }

static void stay_off(const cpu_set_t *cores) {
  cpu_set_t others;
  if (sched_getaffinity(0, sizeof others, &others) == 0) {
    cpu_set_t both;
    CPU_AND(&both, &others, cores);
    CPU_XOR(&others, &others, &both);
    if (CPU_COUNT(&others) > 0) {
      (void)sched_setaffinity(0, sizeof others, &others);
    }
  }
}

int main(int count, char **words) {
  struct Job job = parse(count, words);
  if (!is_isolated()) {
    job.limits.processes = 0; // inside, the kernel counts the processes of this sandbox; outside, all of the user's
  }
  sigset_t awaited = awaited_signals();
  if (job.status < 0 || job.scratch == NULL || sigprocmask(SIG_BLOCK, &awaited, NULL) != 0) {
    usage("a command without status or scratch");
  }
  // In a group of its own it outlives its parent for as long as ending everything takes.
  if (!is_isolated() && (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || setpgid(0, 0) != 0)) {
    fail("group");
  }
  int scratch = open(job.scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (scratch < 0 || fcntl(job.status, F_SETFD, FD_CLOEXEC) != 0) {
    fail(job.scratch);
  }
  say_hello(&job, scratch);
  // No process in the sandbox may read or change the guard, though all have the same user id.
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || (!is_isolated() && prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)) {
    fail("prctl");
  }
  // The harness looks at what the hello says before it lets the job start.
  char go = 0;
  if (recv(job.status, &go, 1, 0) != 1) {
    return EXIT_FAILURE;
  }
  if (CPU_COUNT(&job.cores) > 0) {
    stay_off(&job.cores);
  }
  struct rusage own;
  job.usage_before = group_cpu(job.usage);
  job.own_before = getrusage(RUSAGE_SELF, &own) == 0 ? cpu_of(&own) : 0;
  struct Ending ending = watch(&job, scratch);
  if (job.turns >= 0) {
    say(&job, 'e', 0);
  }
  report(&job, &ending, scratch);
  return EXIT_SUCCESS;
}
