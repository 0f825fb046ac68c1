#include "tally.h"
#include <assert.h>

void tally_add(struct tally *tally, uint32_t number) {
  if (tally->count == 0 || number < tally->smallest)
    tally->smallest = number;
  if (number > tally->largest)
    tally->largest = number;
  tally->sum += number;
  tally->count++;
  assert(tally->smallest <= tally->largest); /* its text holds the file's name */
}

uint32_t tally_gcd(uint32_t a, uint32_t b) { return b ? tally_gcd(b, a % b) : a; }
