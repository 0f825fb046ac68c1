/* Reads whole numbers, prints their statistics; with a limit, of those below it only. */
#include "tally.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  uint32_t limit = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : UINT32_MAX;
  struct tally tally = {0};
  uint32_t number, gcd = 0;
  while (scanf("%" SCNu32, &number) == 1)
    if (number < limit) {
      tally_add(&tally, number);
      gcd = tally_gcd(number, gcd);
    }
  printf("%" PRIu32 " numbers, %" PRIu32 " to %" PRIu32 ", sum %" PRIu64 ", gcd %" PRIu32 "\n", tally.count,
         tally.smallest, tally.largest, tally.sum, gcd);
  return 0;
}
