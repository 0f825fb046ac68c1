/* SPDX-License-Identifier: Apache-2.0 */
/* The Advanced Encryption Standard (FIPS 197) and cipher block chaining (SP 800-38A). */
#ifndef AES_H
#define AES_H

#include <stddef.h>
#include <stdint.h>

enum { AES_BLOCK = 16, AES_MAX_ROUNDS = 14, AES_MAX_KEY = 32 };

struct aes_key {
    int rounds;
    uint32_t encrypt[4 * (AES_MAX_ROUNDS + 1)];
    uint32_t decrypt[4 * (AES_MAX_ROUNDS + 1)]; /* for the equivalent inverse cipher */
};

/* Computes the tables; to be called once, before anything else. */
void aes_init(void);

/* Expands a key of 16, 24 or 32 bytes; false if it has another length. */
int aes_set_key(struct aes_key *key, const unsigned char *bytes, size_t length);

void aes_encrypt_block(const struct aes_key *key, const unsigned char *in, unsigned char *out);
void aes_decrypt_block(const struct aes_key *key, const unsigned char *in, unsigned char *out);

/* Transforms whole blocks in place; `vector` is the last cipher block so far. */
void cbc_encrypt(const struct aes_key *key, unsigned char *vector, unsigned char *data, size_t blocks);
void cbc_decrypt(const struct aes_key *key, unsigned char *vector, unsigned char *data, size_t blocks);

/* Checks the published test vectors; prints what fails, and is true when nothing does. */
int aes_self_test(void);

#endif
