// Turns, the clock, and the end of everything.

#include "guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  kFirstLook = 2 * kMillisecondInNanoseconds,    // until the guard looks at the job's use for the first time;
  kLongestLook = 50 * kMillisecondInNanoseconds, // then twice as long each time, up to this
};

// Whether nobody has the other end any more.
static bool is_let_go(int descriptor) {
  struct pollfd other = {.fd = descriptor, .events = 0};
  return descriptor >= 0 && poll(&other, 1, 0) > 0;
}

// Whether nobody wants the job any more: its leash was let go, or whoever waits for the report is gone. In a sandbox
// the kernel ends the guard when its parent dies, but not if that died while it set the sandbox up.
static bool is_unwanted(const struct Job *job) { return is_let_go(job->leash) || is_let_go(job->status); }

// What the guard waits for. Nobody may end it from within a sandbox.
sigset_t awaited_signals(void) {
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

void say(const struct Job *job, char word, pid_t child) {
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

struct Ending watch(const struct Job *job, int scratch) {
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
      const char *met = is_unwanted(job) ? "stopped" : exceeded(job, scratch);
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
