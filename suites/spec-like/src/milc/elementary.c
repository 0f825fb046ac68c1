/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logarithm, exponential, cosine and sine: the argument is brought near zero, there the power series
 * converges fast (Muller, "Elementary Functions: Algorithms and Implementation").
 */
#include "elementary.h"

#include <stdint.h>
#include <string.h>

#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW 0x1.ef35793c7673p-45
#define TWO_PI 0x1.921fb54442d18p+2

/* 2^power * 1.0, for a power that gives a normal number. */
static double power_of_two(int power)
{
    uint64_t bits = (uint64_t)(power + 1023) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* x = 2^power * m with m from sqrt(1/2) to sqrt(2); ln m = 2 artanh s with s = (m - 1) / (m + 1). */
double logarithm(double x)
{
    uint64_t bits;
    int power;
    double m, s, square, sum = 0.0;

    memcpy(&bits, &x, sizeof bits);
    power = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        power++;
    }
    s = (m - 1.0) / (m + 1.0);
    square = s * s;
    for (int n = 21; n >= 3; n -= 2)
        sum = (sum + 1.0 / n) * square;
    return power * LN2_HIGH + (2.0 * s * sum + power * LN2_LOW + 2.0 * s);
}

/* x = power ln 2 + r with r of at most ln 2 / 2. */
double exponential(double x)
{
    double r, sum = 1.0;
    int power;

    if (x < -700.0)
        return 0.0;
    power = (int)(x / (LN2_HIGH + LN2_LOW) + (x < 0.0 ? -0.5 : 0.5));
    r = (x - power * LN2_HIGH) - power * LN2_LOW;
    for (int n = 14; n >= 1; n--)
        sum = 1.0 + sum * r * (1.0 / n);
    return sum * power_of_two(power);
}

/* The angle is at most an eighth of a turn from a multiple of a quarter. */
void circle(double turns, double *cosine, double *sine)
{
    int quarter = (int)(4.0 * turns + 0.5);
    double angle = (turns - 0.25 * quarter) * TWO_PI, square = angle * angle;
    double c = 1.0, s = 1.0;

    for (int n = 16; n >= 2; n -= 2) {
        c = 1.0 - c * square * (1.0 / (n * (n - 1)));
        s = 1.0 - s * square * (1.0 / (n * (n + 1)));
    }
    s *= angle;
    switch (quarter & 3) {
    case 0:
        *cosine = c;
        *sine = s;
        break;
    case 1:
        *cosine = -s;
        *sine = c;
        break;
    case 2:
        *cosine = -c;
        *sine = -s;
        break;
    default:
        *cosine = s;
        *sine = -c;
        break;
    }
}
