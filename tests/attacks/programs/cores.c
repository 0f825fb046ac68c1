// Tries to compute on more cores than it was given.
//
// usage: cores affinity SECONDS | child SECONDS | thread SECONDS | lost SECONDS | priority
//
// All modes but the last keep as many processes or threads computing as the machine has cores (at least two), for so
// many seconds of wall time, and say on how many cores at most the kernel lets them run.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *spin(void *end) {
  while (now() < *(double *)end) {
  }
  return NULL;
}

static void widen(pid_t whose) {
  unsigned long all[16];
  memset(all, 0xff, sizeof all);
  long result = syscall(SYS_sched_setaffinity, whose, sizeof all, all);
  (void)result;
}

static void *widen_parent(void *tid) {
  widen(*(pid_t *)tid);
  return NULL;
}

static void spin_in_threads(void) {
  pthread_t threads[8];
  double end = now() + seconds;
  for (int at = 0; at < 8; at++) {
    pthread_create(&threads[at], NULL, spin, &end);
  }
  for (int at = 0; at < 8; at++) {
    pthread_join(threads[at], NULL);
  }
}

static int cores(void) {
  unsigned long set[16] = {0};
  int count = 0;
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  for (int at = 0; at < bytes / (int)sizeof *set; at++) {
    count += __builtin_popcountl(set[at]);
  }
  return count;
}

// Children of which nobody learns anything, each shorter than the guard's looks are apart.
static void spin_in_lost_children(void) {
  double end = now() + seconds;
  signal(SIGCHLD, SIG_IGN);
  while (now() < end) {
    if (fork() == 0) {
      double soon = now() + 0.02;
      spin(&soon);
      _exit(0);
    }
    usleep(15000);
  }
}

int main(int count, char **words) {
  const char *mode = words[1];
  pid_t self = (pid_t)syscall(SYS_gettid);
  pthread_t thread;
  seconds = count > 2 ? atof(words[2]) : 0;
  if (strcmp(mode, "affinity") == 0) {
    widen(0);
  } else if (strcmp(mode, "thread") == 0) {
    pthread_create(&thread, NULL, widen_parent, &self);
    pthread_join(thread, NULL);
  } else if (strcmp(mode, "child") == 0) {
    if (fork() == 0) {
      setsid();
      widen(getppid());
      widen(0);
      if (fork() == 0) {
        widen(0);
        spin_in_threads();
      }
      _exit(0);
    }
    wait(NULL);
  } else if (strcmp(mode, "lost") == 0) {
    spin_in_lost_children();
    return 0;
  } else if (strcmp(mode, "priority") == 0) {
    struct sched_param first = {.sched_priority = 1};
    struct rlimit allowed = {.rlim_cur = 40, .rlim_max = 40};
    setrlimit(RLIMIT_NICE, &allowed);
    setrlimit(RLIMIT_RTPRIO, &allowed);
    printf("%d %d\n", setpriority(PRIO_PROCESS, 0, -5) != 0, sched_setscheduler(0, SCHED_FIFO, &first) != 0);
    return 0;
  }
  printf("%d\n", cores());
  fflush(stdout);
  spin_in_threads();
  return 0;
}
