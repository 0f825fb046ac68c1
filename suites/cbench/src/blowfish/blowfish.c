/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blowfish: B. Schneier, "Description of a new variable-length key, 64-bit block cipher
 * (Blowfish)", Fast Software Encryption, Cambridge 1993. A Feistel network of 16 rounds with
 * four key-dependent substitution boxes.
 */
#include "blowfish.h"

#include <string.h>

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_be32(unsigned char *p, uint32_t word)
{
    p[0] = (unsigned char)(word >> 24);
    p[1] = (unsigned char)(word >> 16);
    p[2] = (unsigned char)(word >> 8);
    p[3] = (unsigned char)word;
}

static uint32_t f(const struct bf_key *key, uint32_t x)
{
    uint32_t sum = key->s[0][x >> 24] + key->s[1][x >> 16 & 0xFF];
    return (sum ^ key->s[2][x >> 8 & 0xFF]) + key->s[3][x & 0xFF];
}

/* Two rounds at a time, so that the halves need not be swapped. */
static void encrypt(const struct bf_key *key, uint32_t *left, uint32_t *right)
{
    uint32_t l = *left, r = *right;
    for (int i = 0; i < BF_ROUNDS; i += 2) {
        l ^= key->p[i];
        r ^= f(key, l);
        r ^= key->p[i + 1];
        l ^= f(key, r);
    }
    *left = r ^ key->p[BF_ROUNDS + 1];
    *right = l ^ key->p[BF_ROUNDS];
}

static void decrypt(const struct bf_key *key, uint32_t *left, uint32_t *right)
{
    uint32_t l = *left, r = *right;
    for (int i = BF_ROUNDS + 1; i > 1; i -= 2) {
        l ^= key->p[i];
        r ^= f(key, l);
        r ^= key->p[i - 1];
        l ^= f(key, r);
    }
    *left = r ^ key->p[0];
    *right = l ^ key->p[1];
}

/*
 * The boxes start as the digits of pi; the key is added to the P-array, again and again; then
 * each pair of words is replaced by the encryption of the pair before it.
 */
void bf_set_key(struct bf_key *key, const unsigned char *bytes, size_t length)
{
    uint32_t left = 0, right = 0;
    size_t at = 0;

    memcpy(key->p, bf_pi, sizeof key->p);
    memcpy(key->s, bf_pi + BF_P_WORDS, sizeof key->s);
    for (int i = 0; i < BF_P_WORDS; i++) {
        uint32_t word = 0;
        for (int j = 0; j < 4; j++) {
            word = word << 8 | bytes[at];
            at = at + 1 == length ? 0 : at + 1;
        }
        key->p[i] ^= word;
    }
    for (int i = 0; i < BF_P_WORDS; i += 2) {
        encrypt(key, &left, &right);
        key->p[i] = left;
        key->p[i + 1] = right;
    }
    for (int box = 0; box < 4; box++)
        for (int i = 0; i < 256; i += 2) {
            encrypt(key, &left, &right);
            key->s[box][i] = left;
            key->s[box][i + 1] = right;
        }
}

void bf_encrypt_block(const struct bf_key *key, const unsigned char *in, unsigned char *out)
{
    uint32_t left = load_be32(in), right = load_be32(in + 4);
    encrypt(key, &left, &right);
    store_be32(out, left);
    store_be32(out + 4, right);
}

void bf_decrypt_block(const struct bf_key *key, const unsigned char *in, unsigned char *out)
{
    uint32_t left = load_be32(in), right = load_be32(in + 4);
    decrypt(key, &left, &right);
    store_be32(out, left);
    store_be32(out + 4, right);
}
