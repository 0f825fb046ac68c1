// usage: memory KIND MIB PROCESSES    each process takes so much; ends with 0 when all have it
//
// own       its own pages               leader    the same in a thread whose main thread has ended
// blind     the same, after trying to take process 1's descriptors away
// memfd     files without a name        segment   System V shared memory that nobody has mapped
// scratch   files in the scratch folder         unlikely  the same, and asks to be killed last
// tables    page tables: many pages of nothing
#include "say.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { kMib = 1 << 20 };

static long mib;
static char block[kMib];

static void *take(void *nothing) {
  for (long at = 0; at < mib; at++) {
    char *page = mmap(NULL, kMib, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      _exit(3);
    }
    memset(page, 1, kMib);
  }
  usleep(500000);
  if (nothing != NULL) {
    _exit(0);
  }
  return nothing;
}

static void fill(int file) {
  if (file < 0) {
    _exit(4);
  }
  for (long at = 0; at < mib; at++) {
    if (write(file, block, kMib) != kMib) {
      _exit(5);
    }
  }
  usleep(500000);
}

static void segments(void) {
  for (long at = 0; at < mib; at += 8) {
    int segment = shmget(IPC_PRIVATE, 8 * kMib, IPC_CREAT | 0600);
    char *there = segment < 0 ? (void *)-1 : shmat(segment, NULL, 0);
    if (there == (void *)-1) {
      _exit(6);
    }
    memset(there, 1, 8 * kMib);
    (void)shmdt(there);
  }
  usleep(500000);
}

static void tables(void) { // 4 KiB of page table for every 2 MiB of which one byte is read
  const size_t step = 2 * kMib;
  size_t size = (size_t)mib * 256 * step;
  volatile char *area = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) {
    _exit(7);
  }
  (void)madvise((void *)area, size, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < size; at += step) {
    (void)area[at];
  }
  usleep(500000);
}

static void run(const char *kind) {
  struct rlimit few = {4, 4};
  char name[64];
  pthread_t thread;
  (void)snprintf(name, sizeof name, "/tmp/filling-%d", getpid());
  if (strcmp(kind, "blind") == 0) {
    (void)prlimit(1, RLIMIT_NOFILE, &few, NULL);
    take(NULL);
  } else if (strcmp(kind, "leader") == 0) {
    (void)pthread_create(&thread, NULL, take, &mib);
    (void)syscall(SYS_exit, 0); // this thread only
  } else if (strcmp(kind, "memfd") == 0) {
    fill(memfd_create("filling", 0));
  } else if (strcmp(kind, "segment") == 0) {
    segments();
  } else if (strcmp(kind, "scratch") == 0 || strcmp(kind, "unlikely") == 0) {
    fill(open(name, O_WRONLY | O_CREAT, 0600));
  } else if (strcmp(kind, "tables") == 0) {
    tables();
  } else {
    take(NULL);
  }
  _exit(0);
}

int main(int count, char **words) {
  int processes = count > 3 ? atoi(words[3]) : 1;
  int status = 0;
  int failed = 0;
  mib = atol(words[2]);
  if (strcmp(words[1], "unlikely") == 0) {
    (void)!write(open("/proc/self/oom_score_adj", O_WRONLY), "0", 1);
  }
  for (int at = 0; at < processes; at++) {
    if (fork() == 0) {
      run(words[1]);
    }
  }
  while (wait(&status) > 0) {
    failed = failed != 0 ? failed : WIFEXITED(status) ? WEXITSTATUS(status) : 99;
  }
  return failed;
}
