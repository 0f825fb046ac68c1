/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers after ANSI X9.17, appendix C, with IDEA as the cipher and a counter in place of
 * the date; primes by a sieve and the test of Miller and Rabin (Knuth, volume 2, section 4.5.4).
 */
#include "rsa.h"

#include <string.h>

enum { SMALL_PRIMES = 1000, SPAN = 4096, WITNESSES = 6 };

void random_start(struct random *random, const unsigned char *seed, size_t length)
{
    unsigned char digest[MD5_DIGEST];
    struct md5 md5;

    md5_start(&md5);
    md5_update(&md5, seed, length);
    md5_finish(&md5, digest);
    idea_set_key(&random->key, digest);
    memset(random->vector, 0, IDEA_BLOCK);
    random->counter = 0;
    random->left = 0;
}

static void add(unsigned char *to, const unsigned char *from)
{
    for (int i = 0; i < IDEA_BLOCK; i++)
        to[i] ^= from[i];
}

static void refill(struct random *random)
{
    unsigned char date[IDEA_BLOCK];

    random->counter++;
    for (int i = 0; i < IDEA_BLOCK; i++)
        date[i] = (unsigned char)(random->counter >> 8 * i);
    idea_crypt(&random->key, date, date);
    add(random->vector, date);
    idea_crypt(&random->key, random->vector, random->pool);
    memcpy(random->vector, random->pool, IDEA_BLOCK);
    add(random->vector, date);
    idea_crypt(&random->key, random->vector, random->vector);
    random->left = IDEA_BLOCK;
}

void random_bytes(struct random *random, unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (random->left == 0)
            refill(random);
        bytes[i] = random->pool[--random->left];
    }
}

/* The first primes from 3. */
static size_t list_primes(uint32_t *primes)
{
    size_t count = 0;

    for (uint32_t n = 3; count < SMALL_PRIMES; n += 2) {
        size_t i = 0;
        while (i < count && primes[i] * primes[i] <= n && n % primes[i] != 0)
            i++;
        if (i == count || primes[i] * primes[i] > n)
            primes[count++] = n;
    }
    return count;
}

/* n - 1 = odd * 2^twos; a witness whose powers never become -1 proves that n is no prime. */
static int passes(const struct modulus *modulus, const struct big *witness, const struct big *odd, size_t twos,
                  const struct big *minus_one)
{
    struct big x, square;

    modulus_power(modulus, &x, witness, odd);
    if ((x.used == 1 && x.limb[0] == 1) || big_compare(&x, minus_one) == 0)
        return 1;
    for (size_t i = 1; i < twos; i++) {
        big_multiply(&square, &x, &x);
        big_divide(NULL, &x, &square, &modulus->n);
        if (big_compare(&x, minus_one) == 0)
            return 1;
    }
    return 0;
}

static int is_probable_prime(const struct big *n, struct random *random)
{
    struct big minus_one, odd, witness, one;
    struct modulus modulus;
    size_t twos = 0;

    effort.tested++;
    modulus_set(&modulus, n);
    big_set(&one, 1);
    big_subtract(&minus_one, n, &one);
    while (!(minus_one.limb[twos / LIMB_BITS] >> twos % LIMB_BITS & 1))
        twos++;
    odd = minus_one;
    big_shift_right(&odd, twos);
    for (int i = 0; i < WITNESSES; i++) {
        if (i == 0) {
            big_set(&witness, 2);
        } else {
            unsigned char bytes[8];
            random_bytes(random, bytes, sizeof bytes);
            big_from_bytes(&witness, bytes, sizeof bytes);
        }
        if (witness.used > 0 && !passes(&modulus, &witness, &odd, twos, &minus_one))
            return 0;
    }
    return 1;
}

/* Marks the offsets k for which start + 2 k has a small factor. */
static void sieve(const struct big *start, unsigned char *composite)
{
    static uint32_t primes[SMALL_PRIMES];
    static size_t count;

    if (count == 0)
        count = list_primes(primes);
    memset(composite, 0, SPAN);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = primes[i], rest = big_remainder(start, p);
        /* 2 k = -rest modulo p */
        uint32_t k = rest == 0 ? 0 : (rest % 2 == 0 ? p - rest / 2 : (p - rest) / 2);
        for (; k < SPAN; k += p)
            composite[k] = 1;
    }
}

void random_prime(struct random *random, struct big *prime, size_t bits)
{
    unsigned char bytes[MAX_KEY_BYTES], composite[SPAN];
    size_t length = (bits + 7) / 8;
    struct big start, offset;

    for (;;) {
        random_bytes(random, bytes, length);
        bytes[0] = (unsigned char)(bytes[0] & (0xff >> (8 * length - bits)));
        big_from_bytes(&start, bytes, length);
        start.used = (bits + LIMB_BITS - 1) / LIMB_BITS; /* the two highest bits may be in two limbs */
        start.limb[(bits - 1) / LIMB_BITS] |= UINT64_C(1) << (bits - 1) % LIMB_BITS;
        start.limb[(bits - 2) / LIMB_BITS] |= UINT64_C(1) << (bits - 2) % LIMB_BITS;
        start.limb[0] |= 1;
        sieve(&start, composite);
        for (size_t k = 0; k < SPAN; k++) {
            effort.candidates++;
            if (composite[k]) {
                effort.sieved++;
                continue;
            }
            big_set(&offset, 2 * k);
            big_add(prime, &start, &offset);
            if (big_bits(prime) == bits && is_probable_prime(prime, random)) {
                effort.primes++;
                return;
            }
        }
    }
}
