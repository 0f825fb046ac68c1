/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transforms of n real numbers by one of n/2 complex numbers (Cooley, Lewis and Welch, "The fast
 * Fourier transform algorithm: programming considerations", 1970), and of any number of samples
 * as a convolution with a chirp (Bluestein, "A linear filtering approach to the computation of
 * discrete Fourier transform", 1970).
 */
#include "fft.h"

#include <stdlib.h>
#include <string.h>

void transform_real(const struct plan *plan, const struct plan *half, const double *x,
                    struct complex_number *spectrum)
{
    size_t m = half->n;

    for (size_t k = 0; k < m; k++)
        spectrum[k] = (struct complex_number){x[2 * k], x[2 * k + 1]};
    transform_radix2(half, spectrum);
    spectrum[m] = spectrum[0];
    for (size_t k = 0; k <= m / 2; k++) {
        struct complex_number a = spectrum[k], b = conjugate(spectrum[m - k]);
        struct complex_number even = complex_sum(a, b), odd = complex_difference(a, b);
        /* odd / i is the spectrum of the odd samples */
        struct complex_number turned =
            complex_product((struct complex_number){odd.im, -odd.re}, plan->roots[k]);
        struct complex_number low = complex_sum(even, turned), high = complex_difference(even, turned);

        spectrum[k] = (struct complex_number){0.5 * low.re, 0.5 * low.im};
        spectrum[m - k] = (struct complex_number){0.5 * high.re, -0.5 * high.im};
    }
}

void inverse_real(const struct plan *plan, const struct plan *half, const struct complex_number *spectrum,
                  double *x)
{
    size_t m = half->n;
    struct complex_number *packed = half->work;

    for (size_t k = 0; k < m; k++) {
        struct complex_number a = spectrum[k], b = conjugate(spectrum[m - k]);
        struct complex_number even = complex_sum(a, b);
        struct complex_number odd = complex_product(complex_difference(a, b), conjugate(plan->roots[k]));

        packed[k] = (struct complex_number){0.5 * (even.re - odd.im), 0.5 * (even.im + odd.re)};
    }
    inverse_radix2(half, packed);
    for (size_t k = 0; k < m; k++) {
        x[2 * k] = packed[k].re;
        x[2 * k + 1] = packed[k].im;
    }
}

void make_chirp(struct chirp *chirp, size_t n)
{
    size_t size = MIN_SIZE;

    while (size < 2 * n - 1)
        size *= 2;
    chirp->n = n;
    make_plan(&chirp->plan, size);
    chirp->factors = allocate(n, sizeof *chirp->factors);
    chirp->filter = allocate(size, sizeof *chirp->filter);
    chirp->work = allocate(size, sizeof *chirp->work);
    for (size_t k = 0; k < n; k++) {
        chirp->factors[k] = conjugate(unit_root(k * k % (2 * n), 2 * n));
        chirp->filter[k] = conjugate(chirp->factors[k]);
        if (k > 0)
            chirp->filter[size - k] = chirp->filter[k];
    }
    transform_radix2(&chirp->plan, chirp->filter);
}

void free_chirp(struct chirp *chirp)
{
    free_plan(&chirp->plan);
    free(chirp->factors);
    free(chirp->filter);
    free(chirp->work);
}

void transform_chirp(const struct chirp *chirp, struct complex_number *x)
{
    struct complex_number *work = chirp->work;

    memset(work, 0, chirp->plan.n * sizeof *work);
    for (size_t k = 0; k < chirp->n; k++)
        work[k] = complex_product(x[k], chirp->factors[k]);
    transform_radix2(&chirp->plan, work);
    for (size_t k = 0; k < chirp->plan.n; k++)
        work[k] = complex_product(work[k], chirp->filter[k]);
    inverse_radix2(&chirp->plan, work);
    for (size_t k = 0; k < chirp->n; k++)
        x[k] = complex_product(work[k], chirp->factors[k]);
}

void inverse_chirp(const struct chirp *chirp, struct complex_number *x)
{
    double scale = 1.0 / (double)chirp->n;

    for (size_t k = 0; k < chirp->n; k++)
        x[k] = conjugate(x[k]);
    transform_chirp(chirp, x);
    for (size_t k = 0; k < chirp->n; k++)
        x[k] = (struct complex_number){x[k].re * scale, -x[k].im * scale};
}
