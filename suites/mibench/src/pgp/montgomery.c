/* SPDX-License-Identifier: Apache-2.0 */
/* Powers without division (Montgomery, "Modular multiplication without trial division", 1985). */
#include "bignum.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { WINDOW = 4, SHORT = 24 };

uint64_t montgomery_products;

void modulus_set(struct modulus *modulus, const struct big *n)
{
    struct big power;
    uint64_t inverse = 1;

    modulus->n = *n;
    for (int i = 0; i < 6; i++) /* each round doubles the bits that are right */
        inverse *= 2 - n->limb[0] * inverse;
    modulus->inverse = 0 - inverse;
    power.used = 2 * n->used + 1;
    memset(power.limb, 0, sizeof power.limb);
    power.limb[power.used - 1] = 1;
    big_divide(NULL, &modulus->square, &power, n);
}

/* a b / 2^(64 used) modulo n, on arrays of as many limbs as the modulus has. */
static void product(const struct modulus *modulus, uint64_t *result, const uint64_t *a, const uint64_t *b)
{
    const uint64_t *n = modulus->n.limb;
    size_t used = modulus->n.used;
    uint64_t sum[MAX_MODULUS + 2] = {0};

    montgomery_products++;
    for (size_t i = 0; i < used; i++) {
        uint64_t carry = 0, factor = a[i];
        wide t;

        for (size_t j = 0; j < used; j++) {
            t = (wide)factor * b[j] + sum[j] + carry;
            sum[j] = (uint64_t)t;
            carry = (uint64_t)(t >> LIMB_BITS);
        }
        t = (wide)sum[used] + carry;
        sum[used] = (uint64_t)t;
        sum[used + 1] = (uint64_t)(t >> LIMB_BITS);

        /* Adds the multiple of n that makes the lowest limb zero, and drops it. */
        factor = sum[0] * modulus->inverse;
        carry = (uint64_t)(((wide)factor * n[0] + sum[0]) >> LIMB_BITS);
        for (size_t j = 1; j < used; j++) {
            t = (wide)factor * n[j] + sum[j] + carry;
            sum[j - 1] = (uint64_t)t;
            carry = (uint64_t)(t >> LIMB_BITS);
        }
        t = (wide)sum[used] + carry;
        sum[used - 1] = (uint64_t)t;
        sum[used] = sum[used + 1] + (uint64_t)(t >> LIMB_BITS);
    }

    /* The sum is below 2n. */
    uint64_t reduced[MAX_MODULUS], borrow = 0;
    for (size_t i = 0; i < used; i++) {
        wide taken = (wide)n[i] + borrow;
        borrow = sum[i] < taken;
        reduced[i] = (uint64_t)(sum[i] - taken);
    }
    memcpy(result, sum[used] < borrow ? sum : reduced, used * sizeof *result);
}

static void widen(const struct big *x, size_t used, uint64_t *limbs)
{
    for (size_t i = 0; i < used; i++)
        limbs[i] = i < x->used ? x->limb[i] : 0;
}

static size_t window_of(const struct big *exponent, size_t window, size_t width)
{
    size_t bit = width * window;
    return exponent->limb[bit / LIMB_BITS] >> bit % LIMB_BITS & (((uint64_t)1 << width) - 1);
}

/* Several bits of the exponent at a time, unless it is so short that the table does not pay. */
void modulus_power(const struct modulus *modulus, struct big *result, const struct big *base,
                   const struct big *exponent)
{
    size_t used = modulus->n.used, bits = big_bits(exponent), width = bits <= SHORT ? 1 : WINDOW;
    size_t windows = (bits + width - 1) / width;
    uint64_t powers[1 << WINDOW][MAX_MODULUS], x[MAX_MODULUS], one[MAX_MODULUS] = {1};

    widen(&modulus->square, used, x);
    product(modulus, powers[0], x, one);
    widen(base, used, powers[1]);
    product(modulus, powers[1], powers[1], x);
    for (size_t i = 2; i < (size_t)1 << width; i++)
        product(modulus, powers[i], powers[i - 1], powers[1]);
    memcpy(x, powers[0], used * sizeof *x);
    for (size_t w = windows; w-- > 0;) {
        size_t digit = window_of(exponent, w, width);
        if (w + 1 < windows)
            for (size_t i = 0; i < width; i++)
                product(modulus, x, x, x);
        if (digit != 0)
            product(modulus, x, x, powers[digit]);
    }
    product(modulus, x, x, one);
    result->used = used;
    memcpy(result->limb, x, used * sizeof *x);
    while (result->used > 0 && result->limb[result->used - 1] == 0)
        result->used--;
}
