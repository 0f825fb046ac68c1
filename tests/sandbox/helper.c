// What tests run in the sandbox: `helper MODE [NUMBER]`. `features` prints a line for each thing that works.

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static char *self;

static void touch(size_t mebibytes) {
  char *memory = malloc(mebibytes << 20);
  for (size_t at = 0; at < mebibytes << 20; at += 4096) {
    ((volatile char *)memory)[at] = 1;
  }
}

static void spin(long milliseconds) {
  while (clock() * 1000 / CLOCKS_PER_SEC < milliseconds) {
  }
}

// Processes of sessions of their own; each says its number and does not end by itself.
static void leave(int count) {
  int ready[2];
  char byte;
  if (pipe(ready) != 0) {
    exit(2);
  }
  for (int number = 0; number < count; number++) {
    if (fork() == 0) {
      setsid();
      if (fork() != 0) {
        _exit(0);
      }
      printf("%d\n", getpid());
      fflush(stdout);
      if (write(ready[1], "x", 1) == 1) {
        for (;;) {
          pause();
        }
      }
    }
    // The process between may end later than the one that it leaves has written: it would be left as well.
    if (read(ready[0], &byte, 1) != 1 || wait(NULL) < 0) {
      exit(2);
    }
  }
}

static void *in_thread(void *argument) {
  *(int *)argument = 7;
  return argument;
}

static bool threads(void) {
  int values[4] = {0};
  pthread_t ids[4];
  for (int at = 0; at < 4; at++) {
    if (pthread_create(&ids[at], NULL, in_thread, &values[at]) != 0) {
      return false;
    }
  }
  for (int at = 0; at < 4; at++) {
    pthread_join(ids[at], NULL);
  }
  return values[0] == 7 && values[3] == 7;
}

static bool children(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    execl(self, "again", "status", "9", NULL);
    _exit(1);
  }
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

static bool channels(void) {
  int pair[2];
  int ends[2];
  char bytes[4] = "";
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 || pipe(ends) != 0) {
    return false;
  }
  return write(pair[0], "abc", 4) == 4 && read(pair[1], bytes, 4) == 4 && strcmp(bytes, "abc") == 0 &&
         write(ends[1], "def", 4) == 4 && read(ends[0], bytes, 4) == 4 && strcmp(bytes, "def") == 0;
}

static bool mapping(void) {
  int file = open("/tmp/mapped", O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ftruncate(file, 8192) != 0) {
    return false;
  }
  char *content = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (content == MAP_FAILED) {
    return false;
  }
  char byte = 0;
  content[5000] = 'x';
  return pread(file, &byte, 1, 5000) == 1 && byte == 'x' && unlink("/tmp/mapped") == 0;
}

static bool clocks(void) {
  struct timespec before;
  struct timespec after;
  struct timespec nap = {.tv_nsec = 2000000};
  return clock_gettime(CLOCK_MONOTONIC, &before) == 0 && nanosleep(&nap, NULL) == 0 &&
         clock_gettime(CLOCK_MONOTONIC, &after) == 0 &&
         (after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 2000000;
}

static void on_signal(int number) { seen = number; }

static bool signals(void) {
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  return sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 &&
         seen == SIGUSR1;
}

static void features(void) {
  const struct {
    const char *name;
    bool (*works)(void);
  } all[] = {{"threads", threads}, {"children", children}, {"channels", channels},
             {"mapping", mapping}, {"clocks", clocks},     {"signals", signals}};
  for (size_t at = 0; at < sizeof all / sizeof *all; at++) {
    printf("%s %s\n", all[at].name, all[at].works() ? "works" : "fails");
  }
}

// Call system calls by number, with null arguments, and print the number and the errno of each.
static void call(int count, char **numbers) {
  for (int at = 0; at < count; at++) {
    errno = 0;
    (void)syscall(atol(numbers[at]), 0, 0, 0, 0, 0, 0);
    printf("%s %d\n", numbers[at], errno);
    fflush(stdout);
  }
}

int main(int count, char **words) {
  self = "/helper";
  const char *mode = count > 1 ? words[1] : "";
  long number = count > 2 ? atol(words[2]) : 0;
  if (strcmp(mode, "touch") == 0) {
    touch((size_t)number);
  } else if (strcmp(mode, "spin") == 0) {
    spin(number);
  } else if (strcmp(mode, "leave") == 0) {
    leave((int)number);
  } else if (strcmp(mode, "features") == 0) {
    features();
  } else if (strcmp(mode, "call") == 0) {
    call(count - 2, words + 2);
  } else if (strcmp(mode, "status") == 0) {
    return (int)number;
  } else if (strcmp(mode, "name") == 0) {
    printf("%s", words[0]);
  } else if (strcmp(mode, "bytes") == 0) {
    for (int byte = 0; byte < 256; byte++) {
      putchar(byte);
      fputc(255 - byte, stderr);
    }
  } else {
    return 100;
  }
  return 0;
}
