/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The split-radix transform of Duhamel and Hollmann ("'Split radix' FFT algorithm", Electronics
 * Letters, 1984), recursive: radix two for the even samples, radix four for the odd ones.
 */
#include "fft.h"

#include <string.h>

/* -i z */
static struct complex_number turn_back(struct complex_number z)
{
    return (struct complex_number){z.im, -z.re};
}

/* The spectrum of the m samples in[0], in[step], ... to out. */
static void recurse(const struct plan *plan, const struct complex_number *in, size_t step,
                    struct complex_number *out, size_t m)
{
    if (m == 1) {
        out[0] = in[0];
        return;
    }
    if (m == 2) {
        out[0] = complex_sum(in[0], in[step]);
        out[1] = complex_difference(in[0], in[step]);
        return;
    }
    size_t quarter = m / 4;
    struct complex_number *even = out, *first = out + 2 * quarter, *third = out + 3 * quarter;

    recurse(plan, in, 2 * step, even, 2 * quarter);
    recurse(plan, in + step, 4 * step, first, quarter);
    recurse(plan, in + 3 * step, 4 * step, third, quarter);
    for (size_t k = 0; k < quarter; k++) {
        struct complex_number a = complex_product(first[k], plan->roots[k * step]);
        struct complex_number b = complex_product(third[k], plan->roots[3 * k * step]);
        struct complex_number sum = complex_sum(a, b), turned = turn_back(complex_difference(a, b));
        struct complex_number low = even[k], high = even[k + quarter];

        out[k] = complex_sum(low, sum);
        out[k + quarter] = complex_sum(high, turned);
        out[k + 2 * quarter] = complex_difference(low, sum);
        out[k + 3 * quarter] = complex_difference(high, turned);
    }
}

void transform_split_radix(const struct plan *plan, struct complex_number *x)
{
    memcpy(plan->work, x, plan->n * sizeof *x);
    recurse(plan, plan->work, 1, x, plan->n);
}

/* Swapping the parts before and after turns the transform into its inverse but for the scale. */
static void swap_parts(struct complex_number *x, size_t n, double scale)
{
    for (size_t k = 0; k < n; k++)
        x[k] = (struct complex_number){x[k].im * scale, x[k].re * scale};
}

void inverse_split_radix(const struct plan *plan, struct complex_number *x)
{
    swap_parts(x, plan->n, 1.0);
    transform_split_radix(plan, x);
    swap_parts(x, plan->n, 1.0 / (double)plan->n);
}
