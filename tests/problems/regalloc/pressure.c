// Functions of every sort for a register allocator: more values than registers, in a loop, across calls; vectors of
// floating point; assembly that takes registers; one that needs no register at all.

#include <stdio.h>
#include <string.h>

#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17)

__attribute__((noinline)) static unsigned mix(unsigned value) { return value * 2654435761u ^ value >> 7; }

__attribute__((noinline)) static unsigned crowded(const unsigned *in, int turns) {
#define DECLARE(N) unsigned v##N = in[N];
  EACH(DECLARE)
  for (int turn = 0; turn < turns; turn++) {
#define STEP(N) v##N += in[(turn + N) & 31] ^ (v##N << (N & 7)) ^ (unsigned)turn * N;
    EACH(STEP)
    if (turn % 3 == 0)
      v4 += mix(v1);
  }
#define SUM(N) +v##N * (N + 1)
  return 0 EACH(SUM);
}

__attribute__((noinline)) static double floating(const double *in, int turns) {
#define DECLARE_D(N) double d##N = in[N];
  EACH(DECLARE_D)
  for (int turn = 0; turn < turns; turn++) {
#define STEP_D(N) d##N = d##N * 0.5 + in[(turn + N) & 31];
    EACH(STEP_D)
  }
#define SUM_D(N) +d##N / (N + 1)
  return 0 EACH(SUM_D);
}

__attribute__((noinline)) static unsigned assembled(unsigned value) {
#if defined(__x86_64__)
  __asm__ volatile("addl %1, %0" : "+r"(value) : "r"(value * 3) : "rbx", "r12", "r13", "r14", "r15");
#else
  __asm__ volatile("add %w0, %w0, %w1" : "+r"(value) : "r"(value * 3) : "x19", "x20", "x21", "x22", "x23");
#endif
  return value;
}

__attribute__((noinline)) static void nothing(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  unsigned in[32];
  double real[32];
  for (unsigned n = 0; n < 32; n++) {
    in[n] = mix(n + (unsigned)argc + (unsigned)strlen(argv[0]) * 0);
    real[n] = in[n] / 1e6;
  }
  nothing();
  printf("%u %.6f %u\n", crowded(in, 50), floating(real, 40), assembled(in[3]));
  return 0;
}
