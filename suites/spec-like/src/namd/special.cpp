/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exp by reduction to |x| <= ln(2) / 2 and Taylor's series; erfc by the series 7.1.6 of Abramowitz
 * and Stegun's Handbook of Mathematical Functions (1964) for small arguments and the continued
 * fraction 7.1.14 for large ones. Both are good to some 1e-14 of their value.
 */
#include "special.h"

#include <cmath>
#include <stdexcept>

namespace {

constexpr double log2_of_e = 1.4426950408889634074;
/* ln(2) in two parts; the first has so few bits that small multiples of it are exact. */
constexpr double ln2_high = 45426.0 / 65536.0;
constexpr double ln2_low = 1.428606820309417232e-6;

constexpr int taylor_terms = 14;
constexpr int fraction_levels = 40;
constexpr double fraction_from = 2.0;

} // namespace

double exponential(double x)
{
    if (!(x <= 700.0))
        throw std::domain_error("the exponential of this number is too large");
    if (x < -700.0)
        return 0.0;
    const double scaled = x * log2_of_e;
    const int exponent = static_cast<int>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
    const double rest = (x - exponent * ln2_high) - exponent * ln2_low;
    double sum = 1.0;

    for (int n = taylor_terms; n > 0; n--)
        sum = 1.0 + sum * rest / n;
    return std::ldexp(sum, exponent);
}

double complementary_error(double x)
{
    if (!(x >= 0.0))
        throw std::domain_error("the complementary error function is for positive numbers here");
    const double bell = exponential(-x * x);

    if (x < fraction_from) {
        double term = x, sum = x;

        for (int n = 1; term > sum * 1e-18; n++) {
            term *= 2.0 * x * x / (2 * n + 1);
            sum += term;
        }
        return 1.0 - 2.0 / root_of_pi * bell * sum;
    }
    double fraction = x;

    for (int n = fraction_levels; n > 0; n--)
        fraction = x + 0.5 * n / fraction;
    return bell / (root_of_pi * fraction);
}
