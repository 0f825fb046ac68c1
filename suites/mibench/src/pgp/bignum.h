/* SPDX-License-Identifier: Apache-2.0 */
/* Natural numbers of up to some 4000 bits. */
#ifndef BIGNUM_H
#define BIGNUM_H

#include <stddef.h>
#include <stdint.h>

enum { LIMB_BITS = 64, MAX_LIMBS = 68, MAX_MODULUS = 32 };

/* Little-endian limbs; the last one that is used is not zero. Larger results end the program. */
struct big {
    size_t used;
    uint64_t limb[MAX_LIMBS];
};

void big_set(struct big *x, uint64_t value);
void big_from_bytes(struct big *x, const unsigned char *bytes, size_t length);

/* Big-endian, with zeros in front; the number must fit. */
void big_to_bytes(const struct big *x, unsigned char *bytes, size_t length);

size_t big_bits(const struct big *x);
int big_compare(const struct big *a, const struct big *b);

/* A result may be one of the arguments, but for multiplication. */
void big_add(struct big *sum, const struct big *a, const struct big *b);
void big_subtract(struct big *difference, const struct big *a, const struct big *b); /* a >= b */
void big_multiply(struct big *product, const struct big *a, const struct big *b);
void big_divide(struct big *quotient, struct big *rest, const struct big *a, const struct big *b);
void big_shift_right(struct big *x, size_t bits);
uint32_t big_remainder(const struct big *x, uint32_t divisor);

/* The inverse of a modulo m, or zero if there is none. */
void big_invert(struct big *inverse, const struct big *a, const struct big *m);

/* Arithmetic modulo an odd number, after Montgomery. */
struct modulus {
    struct big n;
    uint64_t inverse;            /* -1/n modulo 2^64 */
    struct big square;           /* (2^(64 used))^2 modulo n */
};

void modulus_set(struct modulus *modulus, const struct big *n);

/* base^exponent; base < n */
void modulus_power(const struct modulus *modulus, struct big *result, const struct big *base,
                   const struct big *exponent);

/* Montgomery products made so far. */
extern uint64_t montgomery_products;

#endif
