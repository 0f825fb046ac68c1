// What tests run in turns: `turns MODE [NUMBER [NUMBER]]`. It prints in which intervals it ran, in nanoseconds, and
// who it was in each.

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 20000 };
static const long kGap = 300000;

static volatile sig_atomic_t continued;

static long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

// Compute for so many milliseconds of CPU time (0: without end), and print when that was.
static void record(long milliseconds, const char *who) {
  static long begin[kMost];
  static long end[kMost];
  int count = 0;
  long used = now(CLOCK_PROCESS_CPUTIME_ID) + milliseconds * 1000000;
  long last = now(CLOCK_MONOTONIC);
  begin[0] = last;
  for (long at = 0; milliseconds == 0 || at % 16 != 0 || now(CLOCK_PROCESS_CPUTIME_ID) < used; at++) {
    long time = now(CLOCK_MONOTONIC);
    if (time - last > kGap && count < kMost - 1) {
      end[count++] = last;
      begin[count] = time;
    }
    last = time;
  }
  end[count++] = last;
  for (int at = 0; at < count; at++) {
    printf("%s %ld %ld\n", who, begin[at], end[at]);
  }
  fflush(stdout);
}

static void spin(long milliseconds) {
  long begin = now(CLOCK_MONOTONIC);
  while (now(CLOCK_MONOTONIC) - begin < milliseconds * 1000000) {
  }
}

static void on_continue(int number) { continued += number == SIGCONT; }

// The last core it was on, if it was always that one.
static int only_core(long milliseconds) {
  int core = sched_getcpu();
  long used = now(CLOCK_PROCESS_CPUTIME_ID) + milliseconds * 1000000;
  while (now(CLOCK_PROCESS_CPUTIME_ID) < used) {
    if (sched_getcpu() != core) {
      return -1;
    }
  }
  return core;
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  long number = count > 2 ? atol(words[2]) : 0;
  long other = count > 3 ? atol(words[3]) : 0;
  if (strcmp(mode, "record") == 0) {
    record(number, "job");
  } else if (strcmp(mode, "core") == 0) {
    printf("%d\n", only_core(number));
  } else if (strcmp(mode, "status") == 0) {
    return (int)number;
  } else if (strcmp(mode, "raise") == 0) {
    record(other, "job");
    raise((int)number);
  } else if (strcmp(mode, "flood") == 0) {
    for (;;) {
      puts("0123456789012345678901234567890123456789012345678901234567890123456789");
    }
  } else if (strcmp(mode, "ignore") == 0) {
    signal(SIGCONT, SIG_IGN);
    record(number, "job");
  } else if (strcmp(mode, "handle") == 0) {
    signal(SIGCONT, on_continue);
    record(number, "job");
    printf("continued %d\n", continued > 0);
  } else if (strcmp(mode, "stop") == 0) { // so many times; 0: without end
    for (long at = 0; number == 0 || at < number; at++) {
      raise(SIGSTOP);
    }
    puts("went on");
  } else if (strcmp(mode, "fork") == 0) { // a child that computes, of a session of its own, while its parent waits
    if (fork() == 0) {
      setsid();
      record(number, "child");
      _exit(0);
    }
    wait(NULL);
  } else if (strcmp(mode, "both") == 0) {
    pid_t child = fork();
    record(number, child == 0 ? "child" : "job");
    if (child != 0) {
      wait(NULL);
    }
  } else if (strcmp(mode, "leave") == 0) { // a child that computes without end
    if (fork() == 0) {
      for (;;) {
      }
    }
    record(number, "job");
  } else if (strcmp(mode, "vfork") == 0) { // the parent of a vfork cannot be stopped before its child ends
    for (long at = 0; at < number; at++) {
      if (vfork() == 0) {
        spin(other);
        _exit(0);
      }
      wait(NULL);
    }
    puts("done");
  } else {
    return 100;
  }
  return 0;
}
