/* Running statistics of whole numbers. */
#ifndef TALLY_H
#define TALLY_H
#include <stdint.h>

struct tally {
  uint32_t count, smallest, largest;
  uint64_t sum;
};

void tally_add(struct tally *tally, uint32_t number);
uint32_t tally_gcd(uint32_t a, uint32_t b);

#endif
