/* SPDX-License-Identifier: Apache-2.0 */
/* Integer square roots: digit by digit in binary, by Newton's iteration, and with a fraction. */
#include "basicmath.h"

/* Brings down two bits at a time, as the method taught in schools does with decimal digits. */
uint32_t square_root_32(uint32_t x)
{
    uint32_t root = 0, rest = 0;

    for (int i = 0; i < 16; i++) {
        rest = rest << 2 | x >> 30;
        x <<= 2;
        root <<= 1;
        if (rest > 2 * root) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    return root;
}

/* The same with 16 more pairs of bits, zeros: the root has 16 bits of fraction. */
uint32_t square_root_fixed(uint32_t x)
{
    uint64_t root = 0, rest = 0;

    for (int i = 0; i < 32; i++) {
        rest = rest << 2 | x >> 30;
        x <<= 2;
        root <<= 1;
        if (rest > 2 * root) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    return (uint32_t)root;
}

/* From above, the iteration falls until it has reached the floor of the root. */
uint32_t square_root_64(uint64_t x)
{
    uint64_t guess = 1, next;

    if (x == 0)
        return 0;
    for (uint64_t rest = x; rest > 0; rest >>= 2)
        guess <<= 1;
    /* The guess is a power of two above the root; 2^32 itself is still a fair start. */
    for (;;) {
        next = (guess + x / guess) / 2;
        if (next >= guess)
            return (uint32_t)guess;
        guess = next;
    }
}
