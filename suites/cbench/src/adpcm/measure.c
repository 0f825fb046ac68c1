/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of quality and checksums, in integers only. */
#include "adpcm.h"

void compare_samples(struct comparison *comparison, const int16_t *original, const int16_t *copy, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t sample = original[i];
        int64_t difference = sample - copy[i];
        if (difference < 0)
            difference = -difference;
        comparison->signal += (uint64_t)(sample * sample);
        comparison->noise += (uint64_t)(difference * difference);
        if (difference > comparison->largest)
            comparison->largest = (int)difference;
    }
    comparison->samples += n;
}

/* The logarithm to the base 2 with 16 bits of fraction: each squaring of the mantissa gives one. */
static int64_t log2_fixed(uint64_t value)
{
    int exponent = 63;
    while (!(value >> exponent & 1))
        exponent--;
    uint64_t mantissa = exponent > 31 ? value >> (exponent - 31) : value << (31 - exponent);
    int64_t logarithm = exponent;
    for (int bit = 0; bit < 16; bit++) {
        mantissa = mantissa * mantissa >> 31;
        uint64_t overflow = mantissa >> 32;
        mantissa >>= overflow;
        logarithm = 2 * logarithm + (int64_t)overflow;
    }
    return logarithm;
}

long hundredths_of_db(uint64_t signal, uint64_t noise)
{
    /* 1000 log10(2) = 301.03 */
    return (long)((log2_fixed(signal) - log2_fixed(noise)) * 30103 / (100 * 65536));
}

void checksum_start(struct checksum *checksum)
{
    checksum->a = 1;
    checksum->b = 0;
}

void checksum_add(struct checksum *checksum, const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        checksum->a = (checksum->a + data[i]) % 65521;
        checksum->b = (checksum->b + checksum->a) % 65521;
    }
}

uint32_t checksum_value(const struct checksum *checksum)
{
    return checksum->b << 16 | checksum->a;
}
