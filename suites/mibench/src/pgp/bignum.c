/* SPDX-License-Identifier: Apache-2.0 */
/* The classical algorithms (Knuth, "The art of computer programming", volume 2, section 4.3.1). */
#include "bignum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static void require(int fits)
{
    if (!fits) {
        fputs("pgp: a number is too large\n", stderr);
        exit(2);
    }
}

static void trim(struct big *x)
{
    while (x->used > 0 && x->limb[x->used - 1] == 0)
        x->used--;
}

void big_set(struct big *x, uint64_t value)
{
    x->used = value != 0;
    x->limb[0] = value;
}

void big_from_bytes(struct big *x, const unsigned char *bytes, size_t length)
{
    x->used = (length + 7) / 8;
    require(x->used <= MAX_LIMBS);
    memset(x->limb, 0, x->used * sizeof *x->limb);
    for (size_t i = 0; i < length; i++)
        x->limb[i / 8] |= (uint64_t)bytes[length - 1 - i] << i % 8 * 8;
    trim(x);
}

void big_to_bytes(const struct big *x, unsigned char *bytes, size_t length)
{
    require(big_bits(x) <= 8 * length);
    for (size_t i = 0; i < length; i++)
        bytes[length - 1 - i] = i / 8 < x->used ? (unsigned char)(x->limb[i / 8] >> i % 8 * 8) : 0;
}

size_t big_bits(const struct big *x)
{
    size_t bits = LIMB_BITS * x->used;

    if (x->used > 0)
        for (uint64_t top = x->limb[x->used - 1]; !(top >> (LIMB_BITS - 1)); top <<= 1)
            bits--;
    return bits;
}

int big_compare(const struct big *a, const struct big *b)
{
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    for (size_t i = a->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

void big_add(struct big *sum, const struct big *a, const struct big *b)
{
    const struct big *longer = a->used >= b->used ? a : b, *shorter = longer == a ? b : a;
    size_t used = longer->used, i;
    wide carry = 0;

    require(used < MAX_LIMBS);
    for (i = 0; i < used; i++) {
        carry += (wide)longer->limb[i] + (i < shorter->used ? shorter->limb[i] : 0);
        sum->limb[i] = (uint64_t)carry;
        carry >>= LIMB_BITS;
    }
    sum->limb[used] = (uint64_t)carry;
    sum->used = used + 1;
    trim(sum);
}

void big_subtract(struct big *difference, const struct big *a, const struct big *b)
{
    size_t used = a->used, subtracted = b->used;
    uint64_t borrow = 0;

    for (size_t i = 0; i < used; i++) {
        wide taken = (wide)(i < subtracted ? b->limb[i] : 0) + borrow;
        borrow = a->limb[i] < taken;
        difference->limb[i] = (uint64_t)(a->limb[i] - taken);
    }
    difference->used = used;
    trim(difference);
}

void big_multiply(struct big *product, const struct big *a, const struct big *b)
{
    require(a->used + b->used <= MAX_LIMBS);
    product->used = a->used + b->used;
    memset(product->limb, 0, product->used * sizeof *product->limb);
    for (size_t i = 0; i < a->used; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b->used; j++) {
            wide sum = (wide)a->limb[i] * b->limb[j] + product->limb[i + j] + carry;
            product->limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> LIMB_BITS);
        }
        product->limb[i + b->used] = carry;
    }
    trim(product);
}

void big_shift_right(struct big *x, size_t bits)
{
    size_t limbs = bits / LIMB_BITS, rest = bits % LIMB_BITS;

    for (size_t i = 0; i + limbs < x->used; i++) {
        uint64_t high = i + limbs + 1 < x->used ? x->limb[i + limbs + 1] : 0;
        x->limb[i] = rest == 0 ? x->limb[i + limbs] : x->limb[i + limbs] >> rest | high << (LIMB_BITS - rest);
    }
    x->used = x->used > limbs ? x->used - limbs : 0;
    trim(x);
}

uint32_t big_remainder(const struct big *x, uint32_t divisor)
{
    uint64_t rest = 0;

    for (size_t i = x->used; i-- > 0;) {
        rest = (rest << 32 | x->limb[i] >> 32) % divisor;
        rest = (rest << 32 | (x->limb[i] & 0xffffffff)) % divisor;
    }
    return (uint32_t)rest;
}

/* Digits of 32 bits, for which the machine has a division; shifted left by less than 32 bits. */
static size_t to_digits(const struct big *x, unsigned shift, uint32_t *digit)
{
    uint64_t carry = 0;
    size_t count = 2 * x->used;

    for (size_t i = 0; i < count; i++) {
        uint64_t half = x->limb[i / 2] >> i % 2 * 32 & 0xffffffff;
        carry |= half << shift;
        digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
    digit[count++] = (uint32_t)carry;
    while (count > 0 && digit[count - 1] == 0)
        count--;
    return count;
}

static void from_digits(struct big *x, const uint32_t *digit, size_t count)
{
    x->used = (count + 1) / 2;
    for (size_t i = 0; i < x->used; i++)
        x->limb[i] = digit[2 * i] | (2 * i + 1 < count ? (uint64_t)digit[2 * i + 1] << 32 : 0);
    trim(x);
}

/* Takes divisor times `factor` from the digits; true if that was too much. */
static int take(uint32_t *digit, const uint32_t *divisor, size_t count, uint64_t factor)
{
    uint64_t carry = 0, borrow = 0;

    for (size_t i = 0; i < count; i++) {
        carry += factor * divisor[i];
        uint64_t difference = (uint64_t)digit[i] - (carry & 0xffffffff) - borrow;
        digit[i] = (uint32_t)difference;
        borrow = difference >> 63;
        carry >>= 32;
    }
    uint64_t difference = (uint64_t)digit[count] - carry - borrow;
    digit[count] = (uint32_t)difference;
    return (int)(difference >> 63);
}

static void put_back(uint32_t *digit, const uint32_t *divisor, size_t count)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < count; i++) {
        carry += (uint64_t)digit[i] + divisor[i];
        digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
    digit[count] += (uint32_t)carry;
}

/* Algorithm D: each digit of the quotient is guessed from the leading digits, at most two too large. */
void big_divide(struct big *quotient, struct big *rest, const struct big *a, const struct big *b)
{
    uint32_t u[2 * MAX_LIMBS + 2], v[2 * MAX_LIMBS + 2], q[2 * MAX_LIMBS + 2];
    unsigned shift = (unsigned)((32 - big_bits(b) % 32) % 32);
    size_t m, n;

    require(b->used > 0);
    if (big_compare(a, b) < 0) {
        if (rest != NULL && rest != a)
            *rest = *a;
        if (quotient != NULL)
            big_set(quotient, 0);
        return;
    }
    memset(u, 0, sizeof u);
    m = to_digits(a, shift, u);
    n = to_digits(b, shift, v);
    for (size_t j = m - n + 1; j-- > 0;) {
        uint64_t top = (uint64_t)u[j + n] << 32 | u[j + n - 1];
        uint64_t guess = top / v[n - 1], left = top % v[n - 1];

        while (guess >> 32 || (n > 1 && guess * v[n - 2] > (left << 32 | u[j + n - 2]))) {
            guess--;
            left += v[n - 1];
            if (left >> 32)
                break;
        }
        if (take(u + j, v, n, guess)) {
            guess--;
            put_back(u + j, v, n);
        }
        q[j] = (uint32_t)guess;
    }
    if (quotient != NULL)
        from_digits(quotient, q, m - n + 1);
    if (rest != NULL) {
        from_digits(rest, u, n);
        big_shift_right(rest, shift);
    }
}

/* Euclid's algorithm; the factors change their signs at every step. */
void big_invert(struct big *inverse, const struct big *a, const struct big *m)
{
    struct big rest = *m, next, factor, next_factor, quotient, product;
    int negative = 0;

    big_divide(NULL, &next, a, m);
    big_set(&factor, 0);
    big_set(&next_factor, 1);
    while (next.used > 0 && !(next.used == 1 && next.limb[0] == 1)) {
        struct big remainder;
        big_divide(&quotient, &remainder, &rest, &next);
        rest = next;
        next = remainder;
        big_multiply(&product, &quotient, &next_factor);
        big_add(&product, &product, &factor);
        factor = next_factor;
        next_factor = product;
        negative = !negative;
    }
    if (next.used == 0)
        big_set(inverse, 0);
    else if (negative)
        big_subtract(inverse, m, &next_factor);
    else
        *inverse = next_factor;
}
