/* SPDX-License-Identifier: Apache-2.0 */
/* The published test vectors: FIPS 197, appendix C, and NIST SP 800-38A, appendix F.2.1. */
#include <stdio.h>
#include <string.h>

#include "aes.h"

/* FIPS 197, appendix C: the key is 00 01 02 ..., the plain text 00 11 22 ... */
static const struct block_vector {
    size_t key_length;
    unsigned char cipher[AES_BLOCK];
} block_vectors[] = {
    {16, {0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5, 0x5A}},
    {24, {0xDD, 0xA9, 0x7C, 0xA4, 0x86, 0x4C, 0xDF, 0xE0, 0x6E, 0xAF, 0x70, 0xA0, 0xEC, 0x0D, 0x71, 0x91}},
    {32, {0x8E, 0xA2, 0xB7, 0xCA, 0x51, 0x67, 0x45, 0xBF, 0xEA, 0xFC, 0x49, 0x90, 0x4B, 0x49, 0x60, 0x89}},
};

/* SP 800-38A, appendix F.2.1: the first two blocks of CBC-AES128; the vector is 00 01 02 ... */
static const unsigned char cbc_key[16] = {0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6,
                                          0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C};
static const unsigned char cbc_plain[2 * AES_BLOCK] = {
    0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93, 0x17, 0x2A,
    0xAE, 0x2D, 0x8A, 0x57, 0x1E, 0x03, 0xAC, 0x9C, 0x9E, 0xB7, 0x6F, 0xAC, 0x45, 0xAF, 0x8E, 0x51};
static const unsigned char cbc_cipher[2 * AES_BLOCK] = {
    0x76, 0x49, 0xAB, 0xAC, 0x81, 0x19, 0xB2, 0x46, 0xCE, 0xE9, 0x8E, 0x9B, 0x12, 0xE9, 0x19, 0x7D,
    0x50, 0x86, 0xCB, 0x9B, 0x50, 0x72, 0x19, 0xEE, 0x95, 0xDB, 0x11, 0x3A, 0x91, 0x76, 0x78, 0xB2};

static int test_block(const struct block_vector *v)
{
    struct aes_key key;
    unsigned char bytes[AES_MAX_KEY], plain[AES_BLOCK], block[AES_BLOCK];

    for (unsigned i = 0; i < AES_MAX_KEY; i++)
        bytes[i] = (unsigned char)i;
    for (unsigned i = 0; i < AES_BLOCK; i++)
        plain[i] = (unsigned char)(0x11 * i);
    if (!aes_set_key(&key, bytes, v->key_length))
        return 0;
    aes_encrypt_block(&key, plain, block);
    if (memcmp(block, v->cipher, AES_BLOCK) != 0)
        return 0;
    aes_decrypt_block(&key, block, block);
    return memcmp(block, plain, AES_BLOCK) == 0;
}

static int test_chaining(void)
{
    struct aes_key key;
    unsigned char vector[AES_BLOCK], data[2 * AES_BLOCK];

    aes_set_key(&key, cbc_key, sizeof cbc_key);
    for (unsigned i = 0; i < AES_BLOCK; i++)
        vector[i] = (unsigned char)i;
    memcpy(data, cbc_plain, sizeof data);
    cbc_encrypt(&key, vector, data, 2);
    if (memcmp(data, cbc_cipher, sizeof data) != 0)
        return 0;
    for (unsigned i = 0; i < AES_BLOCK; i++)
        vector[i] = (unsigned char)i;
    cbc_decrypt(&key, vector, data, 1);
    cbc_decrypt(&key, vector, data + AES_BLOCK, 1);
    return memcmp(data, cbc_plain, sizeof data) == 0;
}

int aes_self_test(void)
{
    for (size_t i = 0; i < sizeof block_vectors / sizeof *block_vectors; i++)
        if (!test_block(&block_vectors[i])) {
            fprintf(stderr, "rijndael: self-test failed: key of %zu bytes\n", block_vectors[i].key_length);
            return 0;
        }
    if (!test_chaining()) {
        fputs("rijndael: self-test failed: cipher block chaining\n", stderr);
        return 0;
    }
    return 1;
}
