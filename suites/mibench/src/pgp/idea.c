/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The International Data Encryption Algorithm (Lai, "On the design and security of block ciphers",
 * 1992): addition, multiplication modulo 2^16 + 1, and exclusive or, on words of 16 bits.
 */
#include "idea.h"

#include <string.h>

enum { ROUNDS = 8 };

/* Zero stands for 2^16, which is -1. */
static uint16_t multiply(uint16_t a, uint16_t b)
{
    if (a == 0)
        return (uint16_t)(1 - b);
    if (b == 0)
        return (uint16_t)(1 - a);
    uint32_t product = (uint32_t)a * b;
    uint16_t low = (uint16_t)product, high = (uint16_t)(product >> 16);
    return (uint16_t)(low - high + (low < high));
}

/* By Euclid's algorithm; 0 and 1 are their own inverses. */
static uint16_t invert(uint16_t x)
{
    int32_t rest = 65537, next = x, factor = 0, next_factor = 1;

    if (x <= 1)
        return x;
    while (next > 1) {
        int32_t quotient = rest / next, swapped = next;
        next = rest - quotient * next;
        rest = swapped;
        swapped = next_factor;
        next_factor = factor - quotient * next_factor;
        factor = swapped;
    }
    return (uint16_t)(next_factor < 0 ? next_factor + 65537 : next_factor);
}

static uint16_t load_be16(const unsigned char *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static void store_be16(unsigned char *p, uint16_t word)
{
    p[0] = (unsigned char)(word >> 8);
    p[1] = (unsigned char)word;
}

/* The key is cut into words; for each eight more it is turned left by 25 bits. */
void idea_set_key(struct idea_key *key, const unsigned char *bytes)
{
    for (int i = 0; i < 8; i++)
        key->subkey[i] = load_be16(bytes + 2 * i);
    for (int i = 8; i < IDEA_SUBKEYS; i++) {
        int start = i / 8 * 8 - 8;
        uint16_t high = key->subkey[start + (i % 8 + 1) % 8], low = key->subkey[start + (i % 8 + 2) % 8];
        key->subkey[i] = (uint16_t)(high << 9 | low >> 7);
    }
}

void idea_invert_key(const struct idea_key *key, struct idea_key *inverse)
{
    for (int round = 0; round <= ROUNDS; round++) {
        const uint16_t *from = key->subkey + 6 * (ROUNDS - round);
        uint16_t *to = inverse->subkey + 6 * round;
        int outer = round == 0 || round == ROUNDS; /* in between, the middle words have changed places */

        to[0] = invert(from[0]);
        to[1] = (uint16_t)-from[outer ? 1 : 2];
        to[2] = (uint16_t)-from[outer ? 2 : 1];
        to[3] = invert(from[3]);
        if (round < ROUNDS) {
            to[4] = from[-2];
            to[5] = from[-1];
        }
    }
}

void idea_crypt(const struct idea_key *key, const unsigned char *in, unsigned char *out)
{
    const uint16_t *k = key->subkey;
    uint16_t a = load_be16(in), b = load_be16(in + 2), c = load_be16(in + 4), d = load_be16(in + 6);

    for (int round = 0; round < ROUNDS; round++, k += 6) {
        a = multiply(a, k[0]);
        b = (uint16_t)(b + k[1]);
        c = (uint16_t)(c + k[2]);
        d = multiply(d, k[3]);
        uint16_t first = multiply((uint16_t)(a ^ c), k[4]);
        uint16_t second = multiply((uint16_t)(first + (b ^ d)), k[5]);
        first = (uint16_t)(first + second);
        uint16_t swapped = (uint16_t)(b ^ first);
        a ^= second;
        b = (uint16_t)(c ^ second);
        c = swapped;
        d ^= first;
    }
    store_be16(out, multiply(a, k[0]));
    store_be16(out + 2, (uint16_t)(c + k[1]));
    store_be16(out + 4, (uint16_t)(b + k[2]));
    store_be16(out + 6, multiply(d, k[3]));
}

void cfb_start(struct cfb *cfb, const unsigned char *key)
{
    idea_set_key(&cfb->key, key);
    memset(cfb->feedback, 0, IDEA_BLOCK);
    cfb->used = IDEA_BLOCK;
}

/* Makes the next pad when the last one is used up. */
static void refill(struct cfb *cfb)
{
    if (cfb->used == IDEA_BLOCK) {
        idea_crypt(&cfb->key, cfb->feedback, cfb->pad);
        cfb->used = 0;
    }
}

void cfb_encrypt(struct cfb *cfb, const unsigned char *in, unsigned char *out, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        refill(cfb);
        out[i] = in[i] ^ cfb->pad[cfb->used];
        cfb->feedback[cfb->used++] = out[i];
    }
}

void cfb_decrypt(struct cfb *cfb, const unsigned char *in, unsigned char *out, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char cipher = in[i];
        refill(cfb);
        out[i] = cipher ^ cfb->pad[cfb->used];
        cfb->feedback[cfb->used++] = cipher;
    }
}

void cfb_resync(struct cfb *cfb, const unsigned char *last)
{
    memcpy(cfb->feedback, last, IDEA_BLOCK);
    cfb->used = IDEA_BLOCK;
}
