/* SPDX-License-Identifier: Apache-2.0 */
/* Cipher block chaining: NIST SP 800-38A (2001), section 6.2. */
#include "aes.h"

#include <string.h>

static void add(unsigned char *to, const unsigned char *from)
{
    for (int i = 0; i < AES_BLOCK; i++)
        to[i] ^= from[i];
}

void cbc_encrypt(const struct aes_key *key, unsigned char *vector, unsigned char *data, size_t blocks)
{
    for (; blocks > 0; blocks--, data += AES_BLOCK) {
        add(data, vector);
        aes_encrypt_block(key, data, data);
        memcpy(vector, data, AES_BLOCK);
    }
}

void cbc_decrypt(const struct aes_key *key, unsigned char *vector, unsigned char *data, size_t blocks)
{
    for (; blocks > 0; blocks--, data += AES_BLOCK) {
        unsigned char cipher[AES_BLOCK];
        memcpy(cipher, data, AES_BLOCK);
        aes_decrypt_block(key, data, data);
        add(data, vector);
        memcpy(vector, cipher, AES_BLOCK);
    }
}
