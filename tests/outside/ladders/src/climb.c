#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  long last = argc > 1 ? atol(argv[1]) : 10, longest = 0, best = 0;
  for (long start = 1; start < last; start++) {
    long steps = 0;
    for (long at = start; at != 1; at = at % 2 ? 3 * at + 1 : at / 2)
      steps++;
    if (steps > longest)
      longest = steps, best = start;
  }
  printf("%ld takes %ld steps\n", best, longest);
  return 0;
}
