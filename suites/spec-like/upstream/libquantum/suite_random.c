/* rand() and srand() of this suite (its definitions rename the calls): the same numbers on every
 * target and with every C library. srand() would be given the time, so that it does nothing. */
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 20031104;

/* Steele, Lea and Flood: Fast splittable pseudorandom number generators (2014). */
int rand(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int)((z ^ (z >> 31)) % ((uint64_t)RAND_MAX + 1));
}

void srand(unsigned seed)
{
    (void)seed;
}
