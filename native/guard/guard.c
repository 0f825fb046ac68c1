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
// With `core` the job runs on these cores and cannot change that, and the guard runs on the others. With `turns` the job runs only while it is
// its turn: the guard says `r` to that socket when it is ready; for each number of microseconds that comes it lets
// the job run for so long, stops it, and says `s` when it stands still; and `e` when it has ended. With `usage`, a file that the
// kernel keeps for the sandbox's control group says how much CPU time was used: children count whoever waits for them.
//
// With `leash` the job is ended when nobody has that pipe open for writing any more. With `keep` it inherits these
// descriptors, and no other; the guard closes its own copies, so that a pipe ends with the job.

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  kMessage = 2048,
  kSecondInMicroseconds = 1000000,
  kMillisecondInNanoseconds = 1000000,
  kFirstLook = 2 * kMillisecondInNanoseconds,    // until the guard looks at the job's use for the first time;
  kLongestLook = 50 * kMillisecondInNanoseconds, // then twice as long each time, up to this
  kStack = 8 << 20,
  kMostKept = 8,
};

// What the job may use. 0: no limit.
struct Limits {
  int64_t wall_ms;
  int64_t cpu_ms;        // of all its processes together
  int64_t memory;        // bytes resident, of all its processes and its files together
  int64_t address_space; // bytes, of each process
  int64_t processes;     // threads count
  int64_t file_size;     // bytes, of each file
  int64_t files;         // in the scratch folder
  int64_t open_files;    // of each process
  int64_t output;        // bytes, of standard output and of standard error
};

struct Job {
  struct Limits limits;
  int status;
  cpu_set_t cores;      // none: any
  int turns;            // -1: it runs all the time
  int usage;            // -1: no control group counts the CPU time
  int64_t usage_before; // microseconds that it had counted when the job was started;
  int64_t own_before;   // and of the guard itself
  int leash;            // -1: none
  int kept[kMostKept];
  int kept_count;
  const char *scratch;
  char **environment;
  const char *program;
  char **arguments; // argv[0] first
};

struct Ending {
  const char *reason; // exit, signal, start, or the limit that it met
  int value;          // exit status, signal or errno
  struct rusage usage;
  int64_t wall_ns;
  int left; // processes that still ran when the job had ended
};

static _Noreturn void fail(const char *what) {
  (void)dprintf(STDERR_FILENO, "guard: %s: %s\n", what, strerror(errno));
  _exit(EXIT_FAILURE);
}

static int64_t now_ns(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    fail("clock");
  }
  return (int64_t)now.tv_sec * 1000 * kMillisecondInNanoseconds + now.tv_nsec;
}

static int64_t microseconds(struct timeval time) {
  return (int64_t)time.tv_sec * kSecondInMicroseconds + time.tv_usec;
}

static int64_t cpu_of(const struct rusage *usage) {
  return microseconds(usage->ru_utime) + microseconds(usage->ru_stime);
}

static bool is_isolated(void) { return getpid() == 1; }

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

// Microseconds of CPU time of the sandbox's control group, by the kernel's own account; 0 where nothing tells.
static int64_t group_cpu(int usage) {
  static const char kVersion2[] = "usage_usec ";
  char text[64] = {0};
  if (usage < 0 || pread(usage, text, sizeof text - 1, 0) <= 0) {
    return 0;
  }
  if (strncmp(text, kVersion2, sizeof kVersion2 - 1) == 0) {
    return strtoll(text + sizeof kVersion2 - 1, NULL, 10);
  }
  return strtoll(text, NULL, 10) / 1000; // version 1 has nanoseconds
}

// CPU time of the job and all that came of it, as the control group has it: also what nobody has waited for.
static int64_t job_cpu(const struct Job *job) {
  struct rusage own;
  int64_t used = group_cpu(job->usage) - job->usage_before;
  return getrusage(RUSAGE_SELF, &own) == 0 ? used - (cpu_of(&own) - job->own_before) : used;
}

// --- messages -------------------------------------------------------------------------------------

static void send_message(int socket, const char *text, int descriptor) {
  struct iovec content = {.iov_base = (void *)text, .iov_len = strlen(text)};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    fail("status");
  }
}

// Effective and bounding capabilities, no-new-privileges and seccomp mode, as the kernel shows them.
struct Rights {
  char effective[32];
  char bounding[32];
  char privileges[8];
  char seccomp[8];
};

static struct Rights rights(void) {
  struct Rights found = {0};
  char line[256];
  FILE *file = fopen("/proc/self/status", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    (void)sscanf(line, "CapEff: %31s", found.effective);
    (void)sscanf(line, "CapBnd: %31s", found.bounding);
    (void)sscanf(line, "NoNewPrivs: %7s", found.privileges);
    (void)sscanf(line, "Seccomp: %7s", found.seccomp);
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return found;
}

static uint64_t namespace_of(const char *kind) {
  char path[64];
  struct stat found;
  (void)snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return stat(path, &found) == 0 ? found.st_ino : 0;
}

static void say_hello(const struct Job *job, int scratch) {
  struct Rights own = rights();
  char text[kMessage];
  (void)snprintf(text, sizeof text,
                 "{\"pid\":%d,\"uid\":%u,\"capabilities\":[\"%s\",\"%s\"],\"no_new_privileges\":\"%s\",\"seccomp\":\"%s\","
                 "\"namespaces\":{\"user\":%" PRIu64 ",\"mnt\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"net\":%" PRIu64
                 ",\"ipc\":%" PRIu64 ",\"uts\":%" PRIu64 "}}",
                 getpid(), getuid(), own.effective, own.bounding, own.privileges, own.seccomp, namespace_of("user"),
                 namespace_of("mnt"), namespace_of("pid"), namespace_of("net"), namespace_of("ipc"),
                 namespace_of("uts"));
  send_message(job->status, text, scratch);
}

static void report(const struct Job *job, const struct Ending *ending, int scratch) {
  struct rusage all;
  struct statvfs space = {0};
  char text[kMessage];
  if (getrusage(RUSAGE_CHILDREN, &all) != 0 || fstatvfs(scratch, &space) != 0) {
    fail("usage");
  }
  int64_t waited = cpu_of(&all);
  int64_t counted = job_cpu(job);
  (void)snprintf(text, sizeof text,
                 "{\"reason\":\"%s\",\"value\":%d,\"wall_ns\":%" PRId64 ",\"user_us\":%" PRId64 ",\"system_us\":%" PRId64
                 ",\"tree_cpu_us\":%" PRId64 ",\"peak_memory\":%" PRId64
                 ",\"preemptions\":%ld,\"left\":%d,\"free_bytes\":%" PRIu64 "}",
                 ending->reason, ending->value, ending->wall_ns, microseconds(ending->usage.ru_utime),
                 microseconds(ending->usage.ru_stime), counted > waited ? counted : waited, (int64_t)all.ru_maxrss * 1024,
                 ending->usage.ru_nivcsw, ending->left, (uint64_t)space.f_bavail * space.f_frsize);
  send_message(job->status, text, -1);
}

// --- the job --------------------------------------------------------------------------------------

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
    int64_t seconds = limits->cpu_ms / 1000 + 1; // the guard is more exact; this holds if it is held up
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
static pid_t start(const struct Job *job, int *number) {
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

// --- watching -------------------------------------------------------------------------------------

// Bytes that a process or a thread has, by its folder in /proc: resident, swapped out, and its page tables.
static int64_t memory_of(const char *folder) {
  char path[300];
  char line[256];
  int64_t sum = 0;
  (void)snprintf(path, sizeof path, "%s/status", folder);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    int64_t kilobytes = 0;
    if (sscanf(line, "VmRSS: %" SCNd64, &kilobytes) == 1 || sscanf(line, "VmSwap: %" SCNd64, &kilobytes) == 1 ||
        sscanf(line, "VmPTE: %" SCNd64, &kilobytes) == 1) {
      sum += kilobytes * 1024;
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return sum;
}

// The same of a process whose first thread has ended, and shows nothing any more: what another thread shows.
static int64_t memory_of_threads(const char *process) {
  char path[300];
  int64_t found = 0;
  (void)snprintf(path, sizeof path, "/proc/%.20s/task", process);
  DIR *threads = opendir(path);
  struct dirent *entry = NULL;
  while (found == 0 && threads != NULL && (entry = readdir(threads)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0])) {
      (void)snprintf(path, sizeof path, "/proc/%.20s/task/%.20s", process, entry->d_name);
      found = memory_of(path);
    }
  }
  if (threads != NULL) {
    (void)closedir(threads);
  }
  return found;
}

// Add the CPU time and the memory of one process, by its folder in /proc.
static void add_use(const char *process, int64_t *cpu_us, int64_t *memory) {
  char path[300];
  char line[1024];
  unsigned long ticks[4];
  (void)snprintf(path, sizeof path, "/proc/%s/stat", process);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    char *end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    if (end != NULL && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &ticks[0],
                              &ticks[1], &ticks[2], &ticks[3]) == 4) {
      int64_t sum = (int64_t)(ticks[0] + ticks[1] + ticks[2] + ticks[3]);
      *cpu_us += sum * (kSecondInMicroseconds / sysconf(_SC_CLK_TCK));
    }
    (void)fclose(file);
  }
  (void)snprintf(path, sizeof path, "/proc/%.20s", process);
  int64_t own = memory_of(path);
  *memory += own > 0 ? own : memory_of_threads(process);
}

// CPU time and memory of everything in the sandbox but the guard.
static void tree_use(const struct Job *job, int64_t *cpu_us, int64_t *memory) {
  struct rusage ended;
  *memory = 0;
  *cpu_us = getrusage(RUSAGE_CHILDREN, &ended) == 0 ? cpu_of(&ended) : 0;
  DIR *processes = opendir("/proc");
  struct dirent *entry = NULL;
  while (processes != NULL && (entry = readdir(processes)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0]) && strcmp(entry->d_name, "1") != 0) {
      add_use(entry->d_name, cpu_us, memory);
    }
  }
  if (processes != NULL) {
    (void)closedir(processes);
  }
  int64_t counted = job_cpu(job);
  *cpu_us = counted > *cpu_us ? counted : *cpu_us;
}

static bool exceeds(int64_t value, int64_t allowed) { return allowed > 0 && value > allowed; }

static bool output_exceeds(int64_t allowed) {
  struct stat found;
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fstat(stream, &found) == 0 && S_ISREG(found.st_mode) && exceeds(found.st_size, allowed)) {
      return true;
    }
  }
  return false;
}

// The limit that the job exceeds now, or NULL.
static const char *exceeded(const struct Job *job, int scratch) {
  const struct Limits *limits = &job->limits;
  if (output_exceeds(limits->output)) {
    return "output";
  }
  if (!is_isolated()) {
    return NULL; // the rest counts what is in the sandbox, and here is none
  }
  int64_t cpu_us = 0;
  int64_t memory = 0;
  struct statvfs space;
  if (limits->cpu_ms > 0 || limits->memory > 0) {
    tree_use(job, &cpu_us, &memory);
  }
  if (fstatvfs(scratch, &space) == 0) {
    memory += (int64_t)((space.f_blocks - space.f_bfree) * space.f_frsize);
    if (exceeds((int64_t)(space.f_files - space.f_ffree), limits->files + 1)) { // the folder itself
      return "files";
    }
  }
  if (exceeds(cpu_us, limits->cpu_ms * 1000)) {
    return "cpu";
  }
  return exceeds(memory, limits->memory) ? "memory" : NULL;
}

// Whether the other end of the job's leash has been let go.
static bool is_let_go(int leash) {
  struct pollfd other = {.fd = leash, .events = 0};
  return leash >= 0 && poll(&other, 1, 0) > 0;
}

// What the guard waits for. Nobody may end it from within a sandbox.
static sigset_t awaited_signals(void) {
  sigset_t awaited;
  (void)sigemptyset(&awaited);
  (void)sigaddset(&awaited, SIGCHLD);
  if (!is_isolated()) {
    (void)sigaddset(&awaited, SIGTERM);
  }
  return awaited;
}

// Wait for a child to end, stop or go on, but not longer than this. Returns SIGCHLD when one did; SIGTERM when
// everything is to be ended.
static int wait_for_a_child(int64_t nanoseconds) {
  sigset_t awaited = awaited_signals();
  int64_t second = 1000L * kMillisecondInNanoseconds;
  struct timespec time = {.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
  return sigtimedwait(&awaited, NULL, &time);
}

// The time for which a job has run: its turns, and of a turn that goes on what has passed of it.
struct Clock {
  int64_t earlier;
  int64_t turn_began; // 0: it is not its turn
};

static int64_t elapsed_ns(const struct Clock *clock) {
  return clock->earlier + (clock->turn_began != 0 ? now_ns() - clock->turn_began : 0);
}

// Take in everything that has ended; whether the job is among it.
static bool reap(pid_t job, struct Ending *ending, const struct Clock *clock) {
  int status = 0;
  struct rusage usage;
  for (pid_t ended; (ended = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
    if (ended == job) {
      ending->wall_ns = elapsed_ns(clock);
      ending->usage = usage;
      ending->reason = WIFSIGNALED(status) ? "signal" : "exit";
      ending->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      return true;
    }
  }
  return false;
}

static void kill_orphans(void) {
  char path[64];
  int child = 0;
  (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  FILE *children = fopen(path, "re");
  while (children != NULL && fscanf(children, "%d", &child) == 1) {
    (void)kill(child, SIGKILL);
  }
  if (children != NULL) {
    (void)fclose(children);
  }
}

static void kill_all(pid_t job) {
  if (is_isolated()) {
    (void)kill(-1, SIGKILL);
  } else {
    (void)kill(-job, SIGKILL);
    kill_orphans();
  }
}

// End what still runs. Returns how many processes that were, the job itself not counted.
static int end_all(pid_t job, struct Ending *ending, const struct Clock *clock) {
  int left = 0;
  int64_t killed = 0;   // when it could run no longer: to take back its memory may last a second more
  bool killing = false; // what has ended before, and nobody has waited for, did not run any more
  for (;;) {
    int status = 0;
    struct rusage usage;
    if (killing) {
      kill_all(job);
      killed = killed != 0 ? killed : elapsed_ns(clock);
    }
    pid_t ended = wait4(-1, &status, killing ? 0 : WNOHANG, &usage);
    if (ended < 0 && errno == ECHILD) {
      return left;
    }
    if (ended == job) {
      ending->wall_ns = killed != 0 ? killed : elapsed_ns(clock);
      ending->usage = usage;
    } else if (ended > 0 && killing) {
      left++;
    }
    killing = killing || ended == 0;
  }
}

// Nobody wants the job any more; 0: it has not been started.
static _Noreturn void give_up(pid_t child) {
  struct Ending ending;
  const struct Clock clock = {0};
  if (child != 0) {
    (void)end_all(child, &ending, &clock);
  }
  _exit(EXIT_FAILURE);
}

static void signal_job(pid_t child, int number) { (void)kill(is_isolated() ? -1 : -child, number); }

static void say(const struct Job *job, char word, pid_t child) {
  if (send(job->turns, &word, 1, MSG_NOSIGNAL) != 1) {
    give_up(child);
  }
}

// Wait for a turn; its length in nanoseconds.
static int64_t next_turn(const struct Job *job, pid_t child) {
  char text[24] = {0};
  ssize_t size = recv(job->turns, text, sizeof text - 1, 0);
  long long length = size > 0 ? strtoll(text, NULL, 10) : 0;
  if (length <= 0) {
    give_up(child);
  }
  return length * 1000;
}

// Whether the job is stopped, or has ended.
static bool is_stopped(pid_t child) {
  siginfo_t how = {0};
  return waitid(P_PID, (id_t)child, &how, WSTOPPED | WEXITED | WNOWAIT | WNOHANG) == 0 && how.si_pid == child;
}

// Whether no thread of the job runs, or can be woken by anything but what is stopped: the parent of a vfork waits
// in the kernel for its child, and is not stopped before.
static bool is_stuck(pid_t child) {
  char path[300];
  char line[1024];
  bool stuck = true;
  (void)snprintf(path, sizeof path, "/proc/%d/task", child);
  DIR *threads = opendir(path);
  struct dirent *entry = NULL;
  while (stuck && threads != NULL && (entry = readdir(threads)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0])) {
      (void)snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", child, entry->d_name);
      FILE *file = fopen(path, "re");
      const char *end = file != NULL && fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
      stuck = end == NULL || strchr("RS", end[2]) == NULL;
      if (file != NULL) {
        (void)fclose(file);
      }
    }
  }
  if (threads != NULL) {
    (void)closedir(threads);
  }
  return stuck;
}

// The turn is over: stop the job. Whether it stands still, or has ended, before its wall time is over.
static bool pause_job(pid_t child, struct Clock *clock, int64_t wall) {
  signal_job(child, SIGSTOP);
  while (!is_stopped(child)) {
    int seen = wait_for_a_child(kMillisecondInNanoseconds);
    if (seen == SIGTERM) {
      give_up(child);
    }
    if (seen != SIGCHLD && is_stuck(child)) {
      break;
    }
    if (elapsed_ns(clock) >= wall) {
      return false;
    }
  }
  clock->earlier = elapsed_ns(clock);
  clock->turn_began = 0;
  return true;
}

// The turn is over: stop the job and wait for the next one. Returns the run time at which that ends.
static int64_t end_turn(const struct Job *job, pid_t child, struct Clock *clock, int64_t turn, int64_t wall) {
  if (!pause_job(child, clock, wall)) {
    return turn;
  }
  say(job, 's', child);
  int64_t next = next_turn(job, child) + clock->earlier;
  clock->turn_began = now_ns();
  signal_job(child, SIGCONT);
  return next;
}

static int64_t sooner(int64_t one, int64_t other) { return one < other ? one : other; }

static struct Ending watch(const struct Job *job, int scratch) {
  struct Ending ending = {.reason = "start"};
  struct Clock clock = {0};
  int64_t turn = INT64_MAX; // nanoseconds of run time at which it ends
  if (job->turns >= 0) {
    say(job, 'r', 0);
    turn = next_turn(job, 0);
  }
  clock.turn_began = now_ns();
  pid_t child = start(job, &ending.value);
  if (child == 0) {
    return ending;
  }
  int64_t wall = job->limits.wall_ms > 0 ? job->limits.wall_ms * kMillisecondInNanoseconds : INT64_MAX;
  int64_t look = kFirstLook;
  int64_t next_look = look;
  while (!reap(child, &ending, &clock)) {
    int64_t elapsed = elapsed_ns(&clock);
    if (elapsed >= wall) {
      ending.reason = "wall";
      break;
    }
    if (elapsed >= turn) {
      turn = end_turn(job, child, &clock, turn, wall);
      continue;
    }
    if (elapsed >= next_look) {
      const char *met = is_let_go(job->leash) ? "stopped" : exceeded(job, scratch);
      if (met != NULL) {
        ending.reason = met;
        break;
      }
      look = sooner(look * 2, kLongestLook);
      next_look = elapsed + look;
    }
    int64_t until = sooner(turn, sooner(next_look, wall));
    if (wait_for_a_child(until - elapsed) == SIGTERM) {
      give_up(child);
    }
  }
  ending.left = end_all(child, &ending, &clock);
  return ending;
}

// --- the command line -----------------------------------------------------------------------------

static _Noreturn void usage(const char *word) {
  (void)dprintf(STDERR_FILENO, "guard: not understood: %s\n", word);
  _exit(EXIT_FAILURE);
}

static int64_t number(const char *text, const char *word) {
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < 0) {
    usage(word);
  }
  return value;
}

// The job itself: its variables, its program, its argument vector.
static void parse_job(struct Job *job, int64_t variables, int64_t count, char **words) {
  if (variables > count - 2) {
    usage("a command without a program");
  }
  job->environment = (char **)calloc((size_t)variables + 1, sizeof(char *));
  if (job->environment == NULL) {
    fail("memory");
  }
  for (int64_t at = 0; at < variables; at++) {
    job->environment[at] = words[at];
  }
  job->program = words[variables];
  job->arguments = words + variables + 1;
}

static void parse_core(struct Job *job, int64_t core, const char *word) {
  if (core >= CPU_SETSIZE) {
    usage(word);
  }
  CPU_SET((size_t)core, &job->cores);
}

static void parse_kept(struct Job *job, int64_t descriptor, const char *word) {
  if (job->kept_count == kMostKept) {
    usage(word);
  }
  job->kept[job->kept_count++] = (int)descriptor;
}

static struct Job parse(int count, char **words) {
  struct Job job = {.status = -1, .turns = -1, .usage = -1, .leash = -1};
  const struct {
    const char *name;
    int64_t *value;
  } known[] = {
      {"wall_ms", &job.limits.wall_ms},       {"cpu_ms", &job.limits.cpu_ms},
      {"memory", &job.limits.memory},         {"address_space", &job.limits.address_space},
      {"processes", &job.limits.processes},   {"file_size", &job.limits.file_size},
      {"files", &job.limits.files},           {"open_files", &job.limits.open_files},
      {"output", &job.limits.output},
  };
  for (int at = 1; at < count; at++) {
    char *equals = strchr(words[at], '=');
    if (equals == NULL) {
      usage(words[at]);
    }
    size_t length = (size_t)(equals - words[at]);
    if (strncmp(words[at], "environment=", length + 1) == 0) {
      parse_job(&job, number(equals + 1, words[at]), count - at - 1, words + at + 1);
      return job;
    }
    if (strncmp(words[at], "status=", length + 1) == 0) {
      job.status = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "core=", length + 1) == 0) {
      parse_core(&job, number(equals + 1, words[at]), words[at]);
    } else if (strncmp(words[at], "turns=", length + 1) == 0) {
      job.turns = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "usage=", length + 1) == 0) {
      job.usage = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "leash=", length + 1) == 0) {
      job.leash = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "keep=", length + 1) == 0) {
      parse_kept(&job, number(equals + 1, words[at]), words[at]);
    } else if (strncmp(words[at], "scratch=", length + 1) == 0) {
      job.scratch = equals + 1;
    } else {
      size_t which = 0;
      while (which < sizeof known / sizeof *known &&
             (strlen(known[which].name) != length || strncmp(known[which].name, words[at], length) != 0)) {
        which++;
      }
      if (which == sizeof known / sizeof *known) {
        usage(words[at]);
      }
      *known[which].value = number(equals + 1, words[at]);
    }
  }
  usage("a command without a job");
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
