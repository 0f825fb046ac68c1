// The system calls of 32-bit programs, which a filter for 64-bit ones would not see.
#include "say.h"

int main(void) {
  long result = 0;
  say("start", 0);
#ifdef __x86_64__
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory"); // getpid
#endif
  say("old", result);
}
