/* SPDX-License-Identifier: Apache-2.0 */
/* The IDEA block cipher, and cipher feedback as RFC 1991 has it. */
#ifndef IDEA_H
#define IDEA_H

#include <stddef.h>
#include <stdint.h>

enum { IDEA_BLOCK = 8, IDEA_KEY = 16, IDEA_SUBKEYS = 52 };

struct idea_key {
    uint16_t subkey[IDEA_SUBKEYS];
};

void idea_set_key(struct idea_key *key, const unsigned char *bytes);
void idea_invert_key(const struct idea_key *key, struct idea_key *inverse);

/* One block, with the key or with its inverse. */
void idea_crypt(const struct idea_key *key, const unsigned char *in, unsigned char *out);

struct cfb {
    struct idea_key key;
    unsigned char feedback[IDEA_BLOCK], pad[IDEA_BLOCK];
    size_t used; /* bytes of the pad */
};

void cfb_start(struct cfb *cfb, const unsigned char *key);
void cfb_encrypt(struct cfb *cfb, const unsigned char *in, unsigned char *out, size_t length);
void cfb_decrypt(struct cfb *cfb, const unsigned char *in, unsigned char *out, size_t length);

/* After some bytes that are no whole block: goes on with the last eight bytes of cipher text. */
void cfb_resync(struct cfb *cfb, const unsigned char *last);

#endif
