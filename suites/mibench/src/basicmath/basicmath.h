/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions, cubic equations, integer square roots and angles, in plain arithmetic. */
#ifndef BASICMATH_H
#define BASICMATH_H

#include <stddef.h>
#include <stdint.h>

#define PI 0x1.921fb54442d18p+1

/* Elementary functions made of + - * / and sqrt: the same bits on every machine. */
double cosine(double x);      /* for |x| below 2^20 */
double sine(double x);        /* likewise */
double arc_tangent(double x);
double arc_cosine(double x);  /* for |x| <= 1 */
double cube_root(double x);

/* a x^3 + b x^2 + c x + d, by falling power. */
struct cubic {
    double a, b, c, d;
};

struct roots {
    int count;        /* 0 to 3 real roots, those that coincide counted as often as they do */
    double root[3];   /* in ascending order */
};

void solve_cubic(const struct cubic *cubic, struct roots *roots);

/* |f(x)| in units of the sum of the terms' magnitudes: how well x is a root. */
double residual(const struct cubic *cubic, double x);

/* The polynomial x^3 + ... with these roots. */
void cubic_of_roots(const double *root, struct cubic *cubic);

/* Floors of square roots: digit by digit, by Newton's iteration, and with 16 more bits of fraction. */
uint32_t square_root_32(uint32_t x);
uint32_t square_root_64(uint64_t x);
uint32_t square_root_fixed(uint32_t x);

/* Angles. */
struct sexagesimal {
    int negative;
    uint32_t degrees, minutes, hundredths; /* hundredths of seconds of arc */
};

double radians_of_degrees(double degrees);
double degrees_of_radians(double radians);
struct sexagesimal split_degrees(double degrees);
double join_degrees(const struct sexagesimal *angle);
uint32_t binary_angle(double degrees);      /* 2^32 for a full turn */
double degrees_of_binary(uint32_t angle);   /* 0 to 360 */

#endif
