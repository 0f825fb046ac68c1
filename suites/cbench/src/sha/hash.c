/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the hash functions of FIPS 180-4 have in common: cutting the message into blocks and
 * padding it (section 5), and the keyed-hash message authentication code of FIPS 198-1.
 */
#include "hash.h"

#include <string.h>

void hash_start(struct hash *hash, const struct hash_algorithm *algorithm)
{
    hash->algorithm = algorithm;
    hash->length = 0;
    memcpy(hash->state, algorithm->initial, sizeof hash->state);
}

void hash_update(struct hash *hash, const unsigned char *data, size_t length)
{
    size_t waiting = (size_t)(hash->length % HASH_BLOCK);

    hash->length += length;
    if (waiting > 0) {
        size_t take = HASH_BLOCK - waiting < length ? HASH_BLOCK - waiting : length;
        memcpy(hash->block + waiting, data, take);
        data += take;
        length -= take;
        if (waiting + take < HASH_BLOCK)
            return;
        hash->algorithm->compress(hash->state, hash->block);
    }
    for (; length >= HASH_BLOCK; data += HASH_BLOCK, length -= HASH_BLOCK)
        hash->algorithm->compress(hash->state, data);
    if (length > 0)
        memcpy(hash->block, data, length);
}

/* Appends a one bit, zero bits, and the length in bits as a number of 64 bits. */
void hash_finish(struct hash *hash, unsigned char *digest)
{
    static const unsigned char padding[HASH_BLOCK] = {0x80};
    unsigned char bits[8];
    size_t waiting = (size_t)(hash->length % HASH_BLOCK);
    size_t fill = (waiting < HASH_BLOCK - 8 ? 0 : HASH_BLOCK) + HASH_BLOCK - 8 - waiting;

    store_be32(bits, (uint32_t)(hash->length >> 29));
    store_be32(bits + 4, (uint32_t)(hash->length << 3));
    hash_update(hash, padding, fill);
    hash_update(hash, bits, sizeof bits);
    for (size_t i = 0; i < hash->algorithm->digest_size / 4; i++)
        store_be32(digest + 4 * i, hash->state[i]);
}

void hmac_start(struct hmac *hmac, const struct hash_algorithm *algorithm, const unsigned char *key,
                size_t length)
{
    unsigned char pad[HASH_BLOCK] = {0};

    if (length > HASH_BLOCK) {
        struct hash short_key;
        hash_start(&short_key, algorithm);
        hash_update(&short_key, key, length);
        hash_finish(&short_key, pad);
    } else {
        memcpy(pad, key, length);
    }
    for (size_t i = 0; i < HASH_BLOCK; i++)
        pad[i] ^= 0x36;
    hash_start(&hmac->inner, algorithm);
    hash_update(&hmac->inner, pad, sizeof pad);
    for (size_t i = 0; i < HASH_BLOCK; i++)
        pad[i] ^= 0x36 ^ 0x5C;
    hash_start(&hmac->outer, algorithm);
    hash_update(&hmac->outer, pad, sizeof pad);
}

void hmac_update(struct hmac *hmac, const unsigned char *data, size_t length)
{
    hash_update(&hmac->inner, data, length);
}

void hmac_finish(struct hmac *hmac, unsigned char *digest)
{
    hash_finish(&hmac->inner, digest);
    hash_update(&hmac->outer, digest, hmac->inner.algorithm->digest_size);
    hash_finish(&hmac->outer, digest);
}
