/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes of operation of a cipher with blocks of 64 bits (FIPS 81, 1980): electronic codebook,
 * cipher block chaining and cipher feedback of 64 bits.
 */
#include "blowfish.h"

#include <string.h>

void bf_start(struct bf_stream *stream, const struct bf_key *key, enum bf_mode mode, int decrypt,
              const unsigned char *vector)
{
    stream->key = key;
    stream->mode = mode;
    stream->decrypt = decrypt;
    stream->used = BF_BLOCK;
    memcpy(stream->vector, vector, BF_BLOCK);
}

static void add(unsigned char *to, const unsigned char *from)
{
    for (int i = 0; i < BF_BLOCK; i++)
        to[i] ^= from[i];
}

static void codebook(struct bf_stream *stream, unsigned char *data, size_t length)
{
    for (; length >= BF_BLOCK; data += BF_BLOCK, length -= BF_BLOCK)
        if (stream->decrypt)
            bf_decrypt_block(stream->key, data, data);
        else
            bf_encrypt_block(stream->key, data, data);
}

static void chain_encrypt(struct bf_stream *stream, unsigned char *data, size_t length)
{
    for (; length >= BF_BLOCK; data += BF_BLOCK, length -= BF_BLOCK) {
        add(data, stream->vector);
        bf_encrypt_block(stream->key, data, data);
        memcpy(stream->vector, data, BF_BLOCK);
    }
}

static void chain_decrypt(struct bf_stream *stream, unsigned char *data, size_t length)
{
    for (; length >= BF_BLOCK; data += BF_BLOCK, length -= BF_BLOCK) {
        unsigned char cipher[BF_BLOCK];
        memcpy(cipher, data, BF_BLOCK);
        bf_decrypt_block(stream->key, data, data);
        add(data, stream->vector);
        memcpy(stream->vector, cipher, BF_BLOCK);
    }
}

/* Byte by byte: the register's encryption is the key stream, and the cipher text refills it. */
static void feedback(struct bf_stream *stream, unsigned char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (stream->used == BF_BLOCK) {
            bf_encrypt_block(stream->key, stream->vector, stream->vector);
            stream->used = 0;
        }
        unsigned char in = data[i];
        unsigned char out = in ^ stream->vector[stream->used];
        stream->vector[stream->used++] = stream->decrypt ? in : out;
        data[i] = out;
    }
}

void bf_update(struct bf_stream *stream, unsigned char *data, size_t length)
{
    switch (stream->mode) {
    case BF_ECB:
        codebook(stream, data, length);
        break;
    case BF_CBC:
        if (stream->decrypt)
            chain_decrypt(stream, data, length);
        else
            chain_encrypt(stream, data, length);
        break;
    case BF_CFB64:
        feedback(stream, data, length);
        break;
    }
}
