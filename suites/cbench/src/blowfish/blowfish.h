/* SPDX-License-Identifier: Apache-2.0 */
/* The Blowfish block cipher (B. Schneier, FSE 1993) and its modes of operation. */
#ifndef BLOWFISH_H
#define BLOWFISH_H

#include <stddef.h>
#include <stdint.h>

enum {
    BF_BLOCK = 8,
    BF_ROUNDS = 16,
    BF_MIN_KEY = 4,
    BF_MAX_KEY = 56,
    BF_P_WORDS = BF_ROUNDS + 2,
    BF_PI_WORDS = BF_P_WORDS + 4 * 256
};

/* The fraction of pi, 32 bits a word, the most significant word first. */
extern const uint32_t bf_pi[BF_PI_WORDS];

struct bf_key {
    uint32_t p[BF_P_WORDS];
    uint32_t s[4][256];
};

void bf_set_key(struct bf_key *key, const unsigned char *bytes, size_t length);
void bf_encrypt_block(const struct bf_key *key, const unsigned char *in, unsigned char *out);
void bf_decrypt_block(const struct bf_key *key, const unsigned char *in, unsigned char *out);

enum bf_mode { BF_ECB, BF_CBC, BF_CFB64 };

/* A message on its way through a mode of operation. */
struct bf_stream {
    const struct bf_key *key;
    enum bf_mode mode;
    int decrypt;
    unsigned char vector[BF_BLOCK];  /* CBC: the last cipher block; CFB64: the shift register */
    size_t used;                     /* CFB64: bytes of the register already used */
};

void bf_start(struct bf_stream *stream, const struct bf_key *key, enum bf_mode mode, int decrypt,
              const unsigned char *vector);

/* Transforms `length` bytes in place; ECB and CBC take whole blocks only. */
void bf_update(struct bf_stream *stream, unsigned char *data, size_t length);

/* Checks the published test vectors; prints what fails, and is true when nothing does. */
int bf_self_test(void);

#endif
