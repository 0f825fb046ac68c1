/* SPDX-License-Identifier: Apache-2.0 */
/* Secure hash functions with blocks of 64 bytes (FIPS 180-4) and HMAC on top (FIPS 198-1). */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_BLOCK = 64, HASH_MAX_WORDS = 8, HASH_MAX_DIGEST = 32 };

/* What tells one hash function from another. */
struct hash_algorithm {
    const char *name;
    size_t digest_size;
    uint32_t initial[HASH_MAX_WORDS];
    void (*compress)(uint32_t *state, const unsigned char *block);
};

extern const struct hash_algorithm hash_sha1, hash_sha224, hash_sha256;

struct hash {
    const struct hash_algorithm *algorithm;
    uint32_t state[HASH_MAX_WORDS];
    uint64_t length;                  /* bytes so far */
    unsigned char block[HASH_BLOCK];  /* the first length % HASH_BLOCK bytes are waiting */
};

void hash_start(struct hash *hash, const struct hash_algorithm *algorithm);
void hash_update(struct hash *hash, const unsigned char *data, size_t length);
void hash_finish(struct hash *hash, unsigned char *digest);

/* A keyed hash: the inner hash takes the message, the outer one the inner digest. */
struct hmac {
    struct hash inner, outer;
};

void hmac_start(struct hmac *hmac, const struct hash_algorithm *algorithm, const unsigned char *key,
                size_t length);
void hmac_update(struct hmac *hmac, const unsigned char *data, size_t length);
void hmac_finish(struct hmac *hmac, unsigned char *digest);

/* Big-endian words, and rotation, as the standard writes them. */
static inline uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline void store_be32(unsigned char *p, uint32_t word)
{
    p[0] = (unsigned char)(word >> 24);
    p[1] = (unsigned char)(word >> 16);
    p[2] = (unsigned char)(word >> 8);
    p[3] = (unsigned char)word;
}

static inline uint32_t rotate_left(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

static inline uint32_t rotate_right(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

#endif
