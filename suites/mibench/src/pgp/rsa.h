/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, primes, and RSA keys with what PGP does with them. */
#ifndef RSA_H
#define RSA_H

#include "bignum.h"
#include "idea.h"
#include "md5.h"

enum { MIN_KEY_BITS = 384, MAX_KEY_BITS = 2048, MAX_KEY_BYTES = MAX_KEY_BITS / 8, KEY_ID = 8 };

/* Deterministic: the same numbers for the same seed. */
struct random {
    struct idea_key key;
    uint64_t counter;
    unsigned char vector[IDEA_BLOCK];
    unsigned char pool[IDEA_BLOCK];
    size_t left;
};

void random_start(struct random *random, const unsigned char *seed, size_t length);
void random_bytes(struct random *random, unsigned char *bytes, size_t length);

/* A prime of exactly so many bits, the two highest of them set. */
void random_prime(struct random *random, struct big *prime, size_t bits);

struct rsa_key {
    size_t bits;
    struct big n, e, d, p, q, u;     /* p < q; u is the inverse of p modulo q */
    struct big dp, dq;               /* d modulo p - 1 and q - 1 */
    struct modulus mod_n, mod_p, mod_q;
};

/* What making keys took, of all keys so far. */
struct effort {
    long candidates, sieved, tested, primes;
};

extern struct effort effort;

void rsa_make_key(struct rsa_key *key, size_t bits, struct random *random);
size_t rsa_bytes(const struct rsa_key *key);
void rsa_key_id(const struct rsa_key *key, unsigned char *id);

/* Of the bytes of n and e: what PGP calls the key's fingerprint. */
void rsa_fingerprint(const struct rsa_key *key, unsigned char *digest);

void rsa_public(const struct rsa_key *key, struct big *result, const struct big *x);

/* By the Chinese remainder theorem; the result is checked with the public key. */
void rsa_private(const struct rsa_key *key, struct big *result, const struct big *x);

#endif
