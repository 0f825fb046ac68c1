/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast Fourier transform of Cooley and Tukey ("An algorithm for the machine calculation of
 * complex Fourier series", 1965) with radix two: bit reversal, then butterflies of growing size.
 */
#include "fft.h"

static void reorder(const struct plan *plan, struct complex_number *x)
{
    for (size_t k = 0; k < plan->n; k++) {
        size_t other = plan->reversed[k];
        if (k < other) {
            struct complex_number swapped = x[k];
            x[k] = x[other];
            x[other] = swapped;
        }
    }
}

void transform_radix2(const struct plan *plan, struct complex_number *x)
{
    reorder(plan, x);
    for (size_t half = 1, stride = plan->n / 2; half < plan->n; half *= 2, stride /= 2)
        for (size_t start = 0; start < plan->n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct complex_number *low = x + start + k, *high = low + half;
                struct complex_number turned = complex_product(*high, plan->roots[k * stride]);
                *high = complex_difference(*low, turned);
                *low = complex_sum(*low, turned);
            }
}

/* With the conjugate factors, and from the large butterflies to the small ones. */
void inverse_radix2(const struct plan *plan, struct complex_number *x)
{
    double scale = 1.0 / (double)plan->n;

    for (size_t half = plan->n / 2, stride = 1; half >= 1; half /= 2, stride *= 2)
        for (size_t start = 0; start < plan->n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct complex_number *low = x + start + k, *high = low + half;
                struct complex_number difference = complex_difference(*low, *high);
                *low = complex_sum(*low, *high);
                *high = complex_product(difference, conjugate(plan->roots[k * stride]));
            }
    reorder(plan, x);
    for (size_t k = 0; k < plan->n; k++) {
        x[k].re *= scale;
        x[k].im *= scale;
    }
}
