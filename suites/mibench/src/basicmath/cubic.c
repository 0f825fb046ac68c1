/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real roots of cubic polynomials: Viete's trigonometric solution where there are three, Cardano's
 * formula where there is one (as in Dickson, "First course in the theory of equations", 1922,
 * chapter IV), each root refined by Newton's iteration.
 */
#include "basicmath.h"

#include <math.h>

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

static double value(const struct cubic *f, double x)
{
    return ((f->a * x + f->b) * x + f->c) * x + f->d;
}

static double slope(const struct cubic *f, double x)
{
    return (3.0 * f->a * x + 2.0 * f->b) * x + f->c;
}

double residual(const struct cubic *f, double x)
{
    double m = magnitude(x);
    double size = ((magnitude(f->a) * m + magnitude(f->b)) * m + magnitude(f->c)) * m + magnitude(f->d);

    /* A root at zero makes all terms vanish: then the coefficients are the measure. */
    size += 0x1p-10 * (magnitude(f->a) + magnitude(f->b) + magnitude(f->c));
    return size == 0.0 ? 0.0 : magnitude(value(f, x)) / size;
}

void cubic_of_roots(const double *root, struct cubic *f)
{
    f->a = 1.0;
    f->b = -(root[0] + root[1] + root[2]);
    f->c = root[0] * root[1] + root[0] * root[2] + root[1] * root[2];
    f->d = -(root[0] * root[1] * root[2]);
}

/* A step is taken as long as it brings the value nearer to zero. */
static double refine(const struct cubic *f, double x)
{
    double here = magnitude(value(f, x));

    for (int round = 0; round < 4 && here > 0.0; round++) {
        double steepness = slope(f, x);
        double next = steepness == 0.0 ? x : x - value(f, x) / steepness;
        double there = magnitude(value(f, next));

        if (!(there < here))
            break;
        x = next;
        here = there;
    }
    return x;
}

static void add_root(struct roots *roots, double x)
{
    int i = roots->count++;

    for (; i > 0 && roots->root[i - 1] > x; i--)
        roots->root[i] = roots->root[i - 1];
    roots->root[i] = x;
}

static void solve_quadratic(double a, double b, double c, struct roots *roots)
{
    double discriminant = b * b - 4.0 * a * c;

    if (a == 0.0) {
        if (b != 0.0)
            add_root(roots, -c / b);
    } else if (discriminant >= 0.0) {
        double q = -0.5 * (b < 0.0 ? b - sqrt(discriminant) : b + sqrt(discriminant));
        add_root(roots, q / a);
        add_root(roots, q == 0.0 ? 0.0 : c / q);
    }
}

void solve_cubic(const struct cubic *f, struct roots *roots)
{
    roots->count = 0;
    if (f->a == 0.0) {
        solve_quadratic(f->b, f->c, f->d, roots);
        return;
    }
    double a = f->b / f->a, b = f->c / f->a, c = f->d / f->a;
    double q = (a * a - 3.0 * b) / 9.0;
    double r = (a * (2.0 * a * a - 9.0 * b) + 27.0 * c) / 54.0;
    double inside = q * q * q - r * r;

    if (inside < 0.0) {
        double s = cube_root(magnitude(r) + sqrt(-inside));
        double y = s + q / s;
        add_root(roots, refine(f, (r < 0.0 ? y : -y) - a / 3.0));
    } else if (q <= 0.0) {
        for (int k = 0; k < 3; k++)
            add_root(roots, -a / 3.0);
    } else {
        double radius = -2.0 * sqrt(q);
        double angle = arc_cosine(r / sqrt(q * q * q));
        for (int k = -1; k <= 1; k++)
            add_root(roots, refine(f, radius * cosine((angle + 2.0 * PI * k) / 3.0) - a / 3.0));
    }
}
