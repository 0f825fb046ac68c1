/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1: FIPS 180-4, sections 4.1.1, 4.2.1, 5.3.1 and 6.1.2. */
#include "hash.h"

static uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (~x & z);
}

static uint32_t parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

static uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

/* One quarter of the function: twenty steps with the same logical function and constant. */
#define TWENTY_STEPS(first, function, constant)                                                       \
    for (int t = first; t < first + 20; t++) {                                                        \
        uint32_t temporary = rotate_left(a, 5) + function(b, c, d) + e + (constant) + w[t];           \
        e = d;                                                                                        \
        d = c;                                                                                        \
        c = rotate_left(b, 30);                                                                       \
        b = a;                                                                                        \
        a = temporary;                                                                                \
    }

static void compress(uint32_t *state, const unsigned char *block)
{
    uint32_t w[80];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

    for (int t = 0; t < 16; t++)
        w[t] = load_be32(block + 4 * t);
    for (int t = 16; t < 80; t++)
        w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);

    TWENTY_STEPS(0, choose, UINT32_C(0x5A827999))
    TWENTY_STEPS(20, parity, UINT32_C(0x6ED9EBA1))
    TWENTY_STEPS(40, majority, UINT32_C(0x8F1BBCDC))
    TWENTY_STEPS(60, parity, UINT32_C(0xCA62C1D6))

    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

const struct hash_algorithm hash_sha1 = {
    .name = "sha1",
    .digest_size = 20,
    .initial = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0},
    .compress = compress,
};
