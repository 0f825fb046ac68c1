/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elementary functions: argument reduction in the manner of Cody and Waite ("Software manual for
 * the elementary functions", 1980), then power series; cube roots by Halley's iteration.
 */
#include "basicmath.h"

#include <math.h>
#include <string.h>

/* pi/2 in three parts; the products of the first two with integers below 2^20 are exact. */
static const double half_pi[3] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};

/* arctan(k/8) */
static const double arc_tangents[9] = {
    0.0,
    0x1.fd5ba9aac2f6ep-4,
    0x1.f5b75f92c80ddp-3,
    0x1.6f61941e4def1p-2,
    0x1.dac670561bb4fp-2,
    0x1.1e00babdefeb4p-1,
    0x1.4978fa3269ee1p-1,
    0x1.700a7c5784634p-1,
    0x1.921fb54442d18p-1,
};

static double sine_series(double x)
{
    static const double inverse_factorials[] = {
        1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
        1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0,
    };
    double square = x * x, sum = 0.0;

    for (size_t i = 0; i < sizeof inverse_factorials / sizeof *inverse_factorials; i++)
        sum = (sum + inverse_factorials[i]) * square;
    return x + x * sum;
}

static double cosine_series(double x)
{
    static const double inverse_factorials[] = {
        1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
        1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0,
    };
    double square = x * x, sum = 0.0;

    for (size_t i = 0; i < sizeof inverse_factorials / sizeof *inverse_factorials; i++)
        sum = (sum + inverse_factorials[i]) * square;
    return 1.0 - (0.5 * square - sum * square);
}

/* x less a multiple of pi/2, at most pi/4 from zero; the multiple modulo 4. */
static double reduce(double x, unsigned *quadrant)
{
    double turns = x / half_pi[0];
    int32_t nearest = (int32_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    double k = nearest;

    *quadrant = (uint32_t)nearest & 3;
    return ((x - k * half_pi[0]) - k * half_pi[1]) - k * half_pi[2];
}

static double circular(double x, unsigned shift)
{
    unsigned quadrant;
    double rest = reduce(x, &quadrant);

    switch ((quadrant + shift) & 3) {
    case 0:
        return sine_series(rest);
    case 1:
        return cosine_series(rest);
    case 2:
        return -sine_series(rest);
    default:
        return -cosine_series(rest);
    }
}

double sine(double x)
{
    return circular(x, 0);
}

double cosine(double x)
{
    return circular(x, 1);
}

/* For 0 <= x <= 1: from the nearest eighth, by the tangent's addition theorem. */
static double arc_tangent_of_fraction(double x)
{
    static const double coefficients[] = {
        1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0,
    };
    int eighths = (int)(8.0 * x + 0.5);
    double near = eighths / 8.0;
    double rest = (x - near) / (1.0 + x * near);
    double square = rest * rest, sum = 0.0;

    for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        sum = (sum + coefficients[i]) * square;
    return arc_tangents[eighths] + (rest + rest * sum);
}

double arc_tangent(double x)
{
    double magnitude = x < 0.0 ? -x : x;
    double angle = magnitude <= 1.0 ? arc_tangent_of_fraction(magnitude)
                                    : PI / 2.0 - arc_tangent_of_fraction(1.0 / magnitude);
    return x < 0.0 ? -angle : angle;
}

double arc_cosine(double x)
{
    if (x <= -1.0)
        return PI;
    if (x >= 1.0)
        return 0.0;
    return 2.0 * arc_tangent(sqrt((1.0 - x) / (1.0 + x)));
}

/* A third of the exponent is a first guess, an eighth off at most; each round triples the digits. */
double cube_root(double x)
{
    double magnitude = x < 0.0 ? -x : x;
    double guess;
    uint64_t bits;

    if (magnitude == 0.0)
        return x;
    memcpy(&bits, &magnitude, sizeof bits);
    bits = bits / 3 + (UINT64_C(682) << 52);
    memcpy(&guess, &bits, sizeof guess);
    for (int round = 0; round < 4; round++) {
        double cube = guess * guess * guess;
        guess *= (cube + 2.0 * magnitude) / (2.0 * cube + magnitude);
    }
    return x < 0.0 ? -guess : guess;
}
