// Asks for all cores by a number of another architecture's calls, and says how many it has.
// usage: oldaffinity NUMBER      241: int $0x80, as 32-bit programs do; another: the syscall instruction
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
  long number = atol(words[1]);
  unsigned long own[16] = {0};
  // Where 32 bits of an address reach it.
  void *all = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  memset(all, 0xff, 128);
#ifdef __x86_64__
  long result = number;
  if (number == 241) {
    __asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(128), "d"(all) : "memory");
  } else {
    result = syscall(number, 0, 128, all);
  }
#endif
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof own, own);
  int cores = 0;
  for (int at = 0; at < bytes / (int)sizeof *own; at++) {
    cores += __builtin_popcountl(own[at]);
  }
  printf("%d\n", cores);
  return 0;
}
