/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete Fourier transforms of complex and of real sequences. */
#ifndef FFT_H
#define FFT_H

#include <stddef.h>

enum { MIN_SIZE = 4, MAX_SIZE = 1 << 20 };

struct complex_number {
    double re, im;
};

static inline struct complex_number complex_sum(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re + b.re, a.im + b.im};
}

static inline struct complex_number complex_difference(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re - b.re, a.im - b.im};
}

static inline struct complex_number complex_product(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct complex_number conjugate(struct complex_number a)
{
    return (struct complex_number){a.re, -a.im};
}

/* cos + i sin of a whole number of parts of a full turn, in plain arithmetic. */
struct complex_number unit_root(size_t part, size_t parts);

/* What the transforms of one size share. */
struct plan {
    size_t n;                      /* a power of two */
    struct complex_number *roots;  /* exp(-2 pi i k / n) for k < n */
    size_t *reversed;              /* the bits of k reversed */
    struct complex_number *work;   /* n */
};

/* Allocates; the size must be a power of two of 4 ... MAX_SIZE. Ends the program without memory. */
void make_plan(struct plan *plan, size_t n);
void free_plan(struct plan *plan);

/* In place, in natural order; the inverse divides by n. */
void transform_radix2(const struct plan *plan, struct complex_number *x);
void transform_split_radix(const struct plan *plan, struct complex_number *x);
void inverse_radix2(const struct plan *plan, struct complex_number *x);
void inverse_split_radix(const struct plan *plan, struct complex_number *x);

/* n real numbers to the first n/2 + 1 numbers of their spectrum and back; a plan of size n. */
void transform_real(const struct plan *plan, const struct plan *half, const double *x,
                    struct complex_number *spectrum);
void inverse_real(const struct plan *plan, const struct plan *half, const struct complex_number *spectrum,
                  double *x);

/* Any size: as a convolution with a chirp. */
struct chirp {
    size_t n;
    struct plan plan;              /* of a power of two of at least 2n - 1 */
    struct complex_number *factors;/* exp(-pi i k^2 / n) */
    struct complex_number *filter; /* the spectrum of their conjugates */
    struct complex_number *work;
};

void make_chirp(struct chirp *chirp, size_t n);
void free_chirp(struct chirp *chirp);
void transform_chirp(const struct chirp *chirp, struct complex_number *x);
void inverse_chirp(const struct chirp *chirp, struct complex_number *x);

/* Zeroed memory, or the end of the program. */
void *allocate(size_t count, size_t size);

#endif
