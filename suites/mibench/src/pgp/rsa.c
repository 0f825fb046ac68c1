/* SPDX-License-Identifier: Apache-2.0 */
/* RSA (Rivest, Shamir and Adleman, 1978), with the public exponent and the key parts of RFC 1991. */
#include "rsa.h"

#include <stdio.h>
#include <stdlib.h>

struct effort effort;

/* Is e prime to p - 1? e is small. */
static int suits(const struct big *prime, uint32_t e)
{
    uint32_t a = e, b = (big_remainder(prime, e) + e - 1) % e;

    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 1;
}

void rsa_make_key(struct rsa_key *key, size_t bits, struct random *random)
{
    struct big one, p1, q1, phi;
    uint32_t e = 17;

    big_set(&one, 1);
    key->bits = bits;
    do {
        random_prime(random, &key->p, bits / 2);
        random_prime(random, &key->q, bits - bits / 2);
    } while (big_compare(&key->p, &key->q) == 0);
    if (big_compare(&key->p, &key->q) > 0) {
        struct big swapped = key->p;
        key->p = key->q;
        key->q = swapped;
    }
    while (!suits(&key->p, e) || !suits(&key->q, e))
        e += 2;
    big_set(&key->e, e);
    big_multiply(&key->n, &key->p, &key->q);
    big_subtract(&p1, &key->p, &one);
    big_subtract(&q1, &key->q, &one);
    big_multiply(&phi, &p1, &q1);
    big_invert(&key->d, &key->e, &phi);
    big_invert(&key->u, &key->p, &key->q);
    big_divide(NULL, &key->dp, &key->d, &p1);
    big_divide(NULL, &key->dq, &key->d, &q1);
    modulus_set(&key->mod_n, &key->n);
    modulus_set(&key->mod_p, &key->p);
    modulus_set(&key->mod_q, &key->q);
}

size_t rsa_bytes(const struct rsa_key *key)
{
    return (big_bits(&key->n) + 7) / 8;
}

void rsa_key_id(const struct rsa_key *key, unsigned char *id)
{
    for (int i = 0; i < KEY_ID; i++)
        id[i] = (unsigned char)(key->n.limb[0] >> (56 - 8 * i));
}

void rsa_fingerprint(const struct rsa_key *key, unsigned char *digest)
{
    unsigned char bytes[MAX_KEY_BYTES];
    struct md5 md5;

    md5_start(&md5);
    big_to_bytes(&key->n, bytes, rsa_bytes(key));
    md5_update(&md5, bytes, rsa_bytes(key));
    size_t length = (big_bits(&key->e) + 7) / 8;
    big_to_bytes(&key->e, bytes, length);
    md5_update(&md5, bytes, length);
    md5_finish(&md5, digest);
}

void rsa_public(const struct rsa_key *key, struct big *result, const struct big *x)
{
    modulus_power(&key->mod_n, result, x, &key->e);
}

/* From x modulo p and q: result = a + p ((b - a) u mod q) */
void rsa_private(const struct rsa_key *key, struct big *result, const struct big *x)
{
    struct big rest, a, b, factor, check;

    big_divide(NULL, &rest, x, &key->p);
    modulus_power(&key->mod_p, &a, &rest, &key->dp);
    big_divide(NULL, &rest, x, &key->q);
    modulus_power(&key->mod_q, &b, &rest, &key->dq);
    if (big_compare(&b, &a) < 0) /* a < p < q */
        big_add(&b, &b, &key->q);
    big_subtract(&b, &b, &a);
    big_multiply(&factor, &b, &key->u);
    big_divide(NULL, &rest, &factor, &key->q);
    big_multiply(result, &rest, &key->p);
    big_add(result, result, &a);
    rsa_public(key, &check, result);
    if (big_compare(&check, x) != 0) {
        fputs("pgp: a private operation failed\n", stderr);
        exit(1);
    }
}
