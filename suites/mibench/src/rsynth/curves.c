/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that resonators need, as power series: the same bits on every machine. */
#include "rsynth.h"

#define PI 0x1.921fb54442d18p+1

/* The series of a sixteenth, or less, of the argument, squared as often. */
double exponential(double x)
{
    int halvings = 4;
    double sum = 1.0, small = x / 16.0;

    while (small > 0.125 || small < -0.125) {
        small *= 0.5;
        halvings++;
    }
    for (int k = 10; k > 0; k--)
        sum = 1.0 + sum * small / k;
    for (; halvings > 0; halvings--)
        sum *= sum;
    return sum;
}

static double cosine_series(double x)
{
    double square = x * x, sum = 0.0;
    for (int k = 16; k > 0; k -= 2)
        sum = (1.0 - sum) * square / (k * (k - 1));
    return 1.0 - sum;
}

static double sine_series(double x)
{
    double square = x * x, sum = 0.0;
    for (int k = 16; k > 0; k -= 2)
        sum = (1.0 - sum) * square / (k * (k + 1));
    return x * (1.0 - sum);
}

double cosine_of_turns(double turns)
{
    if (turns > 0.25)
        return -cosine_of_turns(0.5 - turns);
    if (turns > 0.125)
        return sine_series(2.0 * PI * (0.25 - turns));
    return cosine_series(2.0 * PI * turns);
}

/* Six decibels are a factor of two. */
double amplitude(double decibels)
{
    static const double per_decibel = 0x1.62e42fefa39efp-1 / 6.0;
    return decibels <= 0.0 ? 0.0 : exponential(decibels * per_decibel);
}
