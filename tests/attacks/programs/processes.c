// usage: processes [first]    tries what it can do to its own child, and to process 1: never say `first` outside
#include "say.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

static char shared_word[] = "secret";

static long read_memory(pid_t process) {
  char word[sizeof shared_word];
  struct iovec here = {word, sizeof word};
  struct iovec there = {shared_word, sizeof word};
  return process_vm_readv(process, &here, 1, &there, 1, 0);
}

static long write_memory(pid_t process) {
  struct iovec both = {shared_word, sizeof shared_word};
  return process_vm_writev(process, &both, 1, &both, 1, 0);
}

static long open_memory(const char *path, int flags) {
  int file = open(path, flags);
  char byte = 0;
  return file < 0 ? -1 : pread(file, &byte, 1, (off_t)(size_t)shared_word);
}

int main(int count, char **words) {
  (void)words;
  pid_t child = fork();
  if (child == 0) {
    for (;;) {
      pause();
    }
  }
  struct rlimit few = {1, 1};
  struct rlimit now;
  cpu_set_t one;
  struct sched_param idle = {0};
  CPU_ZERO(&one);
  CPU_SET(0, &one);

  say("child:vm_readv", read_memory(child));
  say("child:vm_writev", write_memory(child));
  say("child:ptrace", ptrace(PTRACE_SEIZE, child, NULL, NULL));
  say("self:mem", open_memory("/proc/self/mem", O_RDONLY));
  say("self:limit", prlimit(0, RLIMIT_NOFILE, NULL, &now));

  if (count > 1) {
    say("first:vm_readv", read_memory(1));
    say("first:ptrace", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
    say("first:mem", open_memory("/proc/1/mem", O_RDWR));
    say("first:maps", open_memory("/proc/1/maps", O_RDONLY));
    say("first:environ", open_memory("/proc/1/environ", O_RDONLY));
    say("first:root", open("/proc/1/root", O_RDONLY));
    say("first:descriptors", open("/proc/1/fd/3", O_RDWR));
    say("first:program", open("/proc/1/exe", O_RDONLY));
    int handle = (int)syscall(SYS_pidfd_open, 1, 0);
    say("first:pidfd_getfd", syscall(SYS_pidfd_getfd, handle, 3, 0));
    say("first:limit", prlimit(1, RLIMIT_NOFILE, &few, NULL));
    say("first:limit-high", syscall(SYS_prlimit64, 0x100000001, RLIMIT_NOFILE, &few, NULL));
    say("first:affinity", sched_setaffinity(1, sizeof one, &one));
    say("first:scheduler", sched_setscheduler(1, SCHED_IDLE, &idle));
    say("first:priority", setpriority(PRIO_PROCESS, 1, 19));
    say("all:priority", setpriority(PRIO_USER, 0, 19));
    say("group:priority", setpriority(PRIO_PGRP, 1, 19));
    for (int number = 1; number < 65; number++) {
      (void)kill(1, number);
      (void)kill(-1, number == SIGKILL || number == SIGSTOP ? 0 : SIGCONT);
    }
    (void)kill(1, SIGKILL);
    usleep(200000);
  }
  say("child:kill", kill(child, SIGKILL));
  waitpid(child, NULL, 0);
  return 7;
}
