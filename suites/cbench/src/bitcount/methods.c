/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten ways of counting the one bits of a word: testing every bit; clearing the lowest one bit
 * (P. Wegner, "A technique for counting ones in a binary computer", CACM 3(5), 1960; exercise 2-9
 * of Kernighan and Ritchie); tables for nibbles, bytes and half-words; adding fields in parallel
 * (S. Gill's method, in Wilkes, Wheeler and Gill 1951), also with a multiplication and with
 * the remainder of HAKMEM item 169 (Beeler, Gosper and Schroeppel, MIT AI memo 239, 1972);
 * and two recursions.
 */
#include "methods.h"

#include <string.h>

static const unsigned char of_nibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
static unsigned char of_byte[256];
static unsigned char of_half[65536];

void methods_init(void)
{
    for (unsigned i = 1; i < 256; i++)
        of_byte[i] = (unsigned char)(of_byte[i / 2] + i % 2);
    for (unsigned i = 1; i < 65536; i++)
        of_half[i] = (unsigned char)(of_half[i / 2] + i % 2);
}

static int by_shifting(uint32_t word)
{
    int count = 0;
    for (; word != 0; word >>= 1)
        count += word & 1;
    return count;
}

static int by_clearing(uint32_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1)
        count++;
    return count;
}

static int by_nibbles(uint32_t word)
{
    return of_nibble[word & 15] + of_nibble[word >> 4 & 15] + of_nibble[word >> 8 & 15]
         + of_nibble[word >> 12 & 15] + of_nibble[word >> 16 & 15] + of_nibble[word >> 20 & 15]
         + of_nibble[word >> 24 & 15] + of_nibble[word >> 28];
}

static int by_nibbles_recursive(uint32_t word)
{
    int count = of_nibble[word & 15];
    return word >> 4 == 0 ? count : count + by_nibbles_recursive(word >> 4);
}

static int by_bytes(uint32_t word)
{
    unsigned char bytes[sizeof word];
    int count = 0;
    memcpy(bytes, &word, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        count += of_byte[bytes[i]];
    return count;
}

static int by_halves(uint32_t word)
{
    return of_half[word & 0xFFFF] + of_half[word >> 16];
}

/* The ones of the low `bits` bits: those of their lower and their upper half. */
static int count_field(uint32_t word, int bits)
{
    if (word == 0)
        return 0;
    if (bits == 1)
        return (int)(word & 1);
    int half = bits / 2;
    return count_field(word & ((UINT32_C(1) << half) - 1), half) + count_field(word >> half, bits - half);
}

static int by_recursion(uint32_t word)
{
    return count_field(word, 32);
}

static int by_adding(uint32_t word)
{
    word = (word & 0x55555555) + (word >> 1 & 0x55555555);
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word & 0x0F0F0F0F) + (word >> 4 & 0x0F0F0F0F);
    word = (word & 0x00FF00FF) + (word >> 8 & 0x00FF00FF);
    return (int)((word & 0xFFFF) + (word >> 16));
}

static int by_multiplying(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0F0F0F0F;
    return (int)(word * 0x01010101 >> 24);
}

/* Counts of three bits each, added in pairs, are the digits of a number to the base 64. */
static int by_remainder(uint32_t word)
{
    uint32_t threes = word - (word >> 1 & 033333333333) - (word >> 2 & 011111111111);
    return (int)(((threes + (threes >> 3)) & 030707070707) % 63);
}

const struct method methods[METHODS] = {
    {"shift", by_shifting},           {"clear", by_clearing},
    {"nibbles", by_nibbles},          {"nibbles-rec", by_nibbles_recursive},
    {"bytes", by_bytes},              {"halves", by_halves},
    {"recursive", by_recursion},      {"parallel", by_adding},
    {"multiply", by_multiplying},     {"remainder", by_remainder},
};
