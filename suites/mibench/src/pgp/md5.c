/* SPDX-License-Identifier: Apache-2.0 */
/* The MD5 message digest (Rivest, RFC 1321, 1992). */
#include "md5.h"

#include <string.h>

/* The first 32 bits of the fractions of |sin(1)|, |sin(2)|, ... */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const unsigned char shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t rotate_left(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static uint32_t load_le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_le32(unsigned char *p, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(word >> 8 * i);
}

static void compress(uint32_t *state, const unsigned char *block)
{
    uint32_t x[16], a = state[0], b = state[1], c = state[2], d = state[3];

    for (int i = 0; i < 16; i++)
        x[i] = load_le32(block + 4 * i);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f, word;
        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            word = x[i];
            break;
        case 1:
            f = (b & d) | (c & ~d);
            word = x[(5 * i + 1) % 16];
            break;
        case 2:
            f = b ^ c ^ d;
            word = x[(3 * i + 5) % 16];
            break;
        default:
            f = c ^ (b | ~d);
            word = x[7 * i % 16];
        }
        f = b + rotate_left(a + f + word + sines[i], shifts[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = f;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md5_start(struct md5 *md5)
{
    static const uint32_t initial[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

    memcpy(md5->state, initial, sizeof initial);
    md5->length = 0;
}

void md5_update(struct md5 *md5, const unsigned char *data, size_t length)
{
    size_t waiting = (size_t)(md5->length % MD5_BLOCK);

    md5->length += length;
    if (waiting > 0) {
        size_t take = MD5_BLOCK - waiting < length ? MD5_BLOCK - waiting : length;
        memcpy(md5->block + waiting, data, take);
        data += take;
        length -= take;
        if (waiting + take < MD5_BLOCK)
            return;
        compress(md5->state, md5->block);
    }
    for (; length >= MD5_BLOCK; data += MD5_BLOCK, length -= MD5_BLOCK)
        compress(md5->state, data);
    if (length > 0)
        memcpy(md5->block, data, length);
}

void md5_finish(struct md5 *md5, unsigned char *digest)
{
    static const unsigned char padding[MD5_BLOCK] = {0x80};
    unsigned char bits[8];
    size_t waiting = (size_t)(md5->length % MD5_BLOCK);
    size_t fill = (waiting < MD5_BLOCK - 8 ? 0 : MD5_BLOCK) + MD5_BLOCK - 8 - waiting;

    store_le32(bits, (uint32_t)(md5->length << 3));
    store_le32(bits + 4, (uint32_t)(md5->length >> 29));
    md5_update(md5, padding, fill);
    md5_update(md5, bits, sizeof bits);
    for (int i = 0; i < 4; i++)
        store_le32(digest + 4 * i, md5->state[i]);
}
