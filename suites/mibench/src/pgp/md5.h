/* SPDX-License-Identifier: Apache-2.0 */
/* The MD5 message digest (RFC 1321). */
#ifndef MD5_H
#define MD5_H

#include <stddef.h>
#include <stdint.h>

enum { MD5_BLOCK = 64, MD5_DIGEST = 16 };

struct md5 {
    uint32_t state[4];
    uint64_t length;                 /* bytes so far */
    unsigned char block[MD5_BLOCK];  /* the first length % MD5_BLOCK bytes are waiting */
};

void md5_start(struct md5 *md5);
void md5_update(struct md5 *md5, const unsigned char *data, size_t length);
void md5_finish(struct md5 *md5, unsigned char *digest);

#endif
