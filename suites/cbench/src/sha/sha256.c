/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-224 and SHA-256: FIPS 180-4, sections 4.1.2, 4.2.2, 5.3.2, 5.3.3, 6.2.2 and 6.3. */
#include "hash.h"

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

static uint32_t big_sigma_0(uint32_t x)
{
    return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22);
}

static uint32_t big_sigma_1(uint32_t x)
{
    return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25);
}

static uint32_t small_sigma_0(uint32_t x)
{
    return rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
}

static uint32_t small_sigma_1(uint32_t x)
{
    return rotate_right(x, 17) ^ rotate_right(x, 19) ^ x >> 10;
}

static void compress(uint32_t *state, const unsigned char *block)
{
    uint32_t w[64], v[8]; /* v: the working variables a to h */

    for (int t = 0; t < 16; t++)
        w[t] = load_be32(block + 4 * t);
    for (int t = 16; t < 64; t++)
        w[t] = small_sigma_1(w[t - 2]) + w[t - 7] + small_sigma_0(w[t - 15]) + w[t - 16];

    for (int i = 0; i < 8; i++)
        v[i] = state[i];
    for (int t = 0; t < 64; t++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + big_sigma_1(v[4]) + choice + k[t] + w[t];
        uint32_t t2 = big_sigma_0(v[0]) + majority;
        for (int i = 7; i > 0; i--)
            v[i] = v[i - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

const struct hash_algorithm hash_sha224 = {
    .name = "sha224",
    .digest_size = 28,
    .initial = {0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939, 0xFFC00B31, 0x68581511, 0x64F98FA7,
                0xBEFA4FA4},
    .compress = compress,
};

const struct hash_algorithm hash_sha256 = {
    .name = "sha256",
    .digest_size = 32,
    .initial = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB,
                0x5BE0CD19},
    .compress = compress,
};
