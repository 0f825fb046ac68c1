/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions of plain arithmetic, the same on every machine: arguments are reduced, then
 * Taylor's series are summed; all are good to a few units of the last place.
 */
#include "nab.h"

#include <math.h>
#include <string.h>

#define LOG2_OF_E 1.4426950408889634074
#define LN2 0.69314718055994530942
/* ln(2) in two parts; the first has so few bits that small multiples of it are exact. */
#define LN2_HIGH (45426.0 / 65536.0)
#define LN2_LOW 1.428606820309417232e-6
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023

static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/* x = k ln(2) + rest with |rest| <= ln(2) / 2; 0 for x < -700. */
double natural_exp(double x)
{
    static const double coefficients[] = {
        1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
        1.0 / 40320.0,      1.0 / 5040.0,      1.0 / 720.0,      1.0 / 120.0,     1.0 / 24.0,
        1.0 / 6.0,          1.0 / 2.0,         1.0,              1.0,
    };
    double scaled = x * LOG2_OF_E, rest, sum = 0.0;
    int exponent;

    if (!(x > -700.0))
        return 0.0;
    if (x > 700.0)
        fail("the exponential of %g is too large", x);
    exponent = (int)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
    rest = (x - exponent * LN2_HIGH) - exponent * LN2_LOW;
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        sum = sum * rest + coefficients[i];
    return sum * power_of_two(exponent);
}

/* x = 2^k m with m from sqrt(1/2) to sqrt(2); ln(m) = 2 artanh((m - 1) / (m + 1)). x is positive and normal. */
double natural_log(double x)
{
    static const double coefficients[] = {
        1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0,
        1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0,  1.0,
    };
    uint64_t bits;
    int exponent;
    double m, s, square, sum = 0.0;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> FRACTION_BITS & 0x7ff) - EXPONENT_BIAS;
    bits = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) | (uint64_t)EXPONENT_BIAS << FRACTION_BITS;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    s = (m - 1.0) / (m + 1.0);
    square = s * s;
    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        sum = sum * square + coefficients[i];
    return 2.0 * s * sum + exponent * LN2;
}

double hyperbolic_tangent(double x)
{
    double e;

    if (x > 20.0)
        return 1.0;
    if (x < -20.0)
        return -1.0;
    e = natural_exp(2.0 * x);
    return (e - 1.0) / (e + 1.0);
}

/* The angle from 0 to pi that has this sine and cosine, which may both be too large by a factor. */
double angle_of(double sine, double cosine)
{
    double length = sqrt(sine * sine + cosine * cosine);
    double tangent, square, sum = 0.0;

    if (cosine < 0.0) /* from pi, so that nothing is divided by a small number */
        return 3.14159265358979323846 - angle_of(sine, -cosine);
    if (length <= 0.0)
        return 0.0;
    tangent = sine / (length + cosine);                     /* of half the angle: at most 1 */
    tangent = tangent / (1.0 + sqrt(1.0 + tangent * tangent)); /* at most 0.42 */
    tangent = tangent / (1.0 + sqrt(1.0 + tangent * tangent)); /* at most 0.2 */
    square = tangent * tangent;
    for (int n = 25; n > 0; n -= 2)
        sum = 1.0 / n - sum * square;
    return 8.0 * tangent * sum;
}

static int is_near(double found, double expected)
{
    return fabs(found - expected) <= 2e-15 * fabs(expected);
}

/* Known values, and that functions undo each other. */
int check_maths(void)
{
    if (!is_near(natural_exp(1.0), 2.7182818284590452354) || !is_near(natural_exp(-10.0), 4.5399929762484851536e-5))
        return 0;
    if (!is_near(natural_log(10.0), 2.3025850929940456840) || !is_near(natural_log(0.5), -LN2))
        return 0;
    if (!is_near(hyperbolic_tangent(1.0), 0.76159415595576488812))
        return 0;
    if (!is_near(angle_of(1.0, 1.0), 0.78539816339744830962) || !is_near(angle_of(1.0, 0.0), 1.5707963267948966192))
        return 0;
    if (!is_near(angle_of(1.0, -1.7320508075688772935), 2.6179938779914943654))
        return 0;
    for (int i = -200; i <= 200; i++) {
        double x = i / 16.0;

        if (fabs(natural_log(natural_exp(x)) - x) > 4e-15 * (1.0 + fabs(x)))
            return 0;
    }
    return 1;
}
