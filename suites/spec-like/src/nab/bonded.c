/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bonds, angles and torsions, in AMBER's form (W. D. Cornell et al., Journal of the American
 * Chemical Society 117, 1995). The slopes of a torsion are those of A. Blondel and M. Karplus,
 * Journal of Computational Chemistry 17, 1996, which need no angle at all.
 */
#include "nab.h"

#include <math.h>

#define SMALLEST_SINE 1e-8
#define SMALLEST_AREA 1e-12

static void subtract(const double *left, const double *right, double *difference)
{
    for (int i = 0; i < 3; i++)
        difference[i] = left[i] - right[i];
}

static void cross(const double *left, const double *right, double *result)
{
    result[0] = left[1] * right[2] - left[2] * right[1];
    result[1] = left[2] * right[0] - left[0] * right[2];
    result[2] = left[0] * right[1] - left[1] * right[0];
}

static double dot(const double *left, const double *right)
{
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2];
}

double bond_energy(const struct molecule *molecule, const double *x, double *gradient)
{
    double sum = 0.0;

    for (int n = 0; n < molecule->bonds; n++) {
        const struct bond *bond = &molecule->bond[n];
        double *first = gradient + 3 * bond->atom[0], *second = gradient + 3 * bond->atom[1];
        double away[3], length, stretch, slope;

        subtract(x + 3 * bond->atom[0], x + 3 * bond->atom[1], away);
        length = sqrt(dot(away, away));
        stretch = length - bond->length;
        sum += bond->stiffness * stretch * stretch;
        slope = 2.0 * bond->stiffness * stretch / length;
        for (int i = 0; i < 3; i++) {
            first[i] += slope * away[i];
            second[i] -= slope * away[i];
        }
    }
    return sum;
}

double angle_energy(const struct molecule *molecule, const double *x, double *gradient)
{
    double sum = 0.0;

    for (int n = 0; n < molecule->angles; n++) {
        const struct angle *angle = &molecule->angle[n];
        double *first = gradient + 3 * angle->atom[0], *last = gradient + 3 * angle->atom[2];
        double *middle = gradient + 3 * angle->atom[1];
        double u[3], v[3], normal[3], length_u, length_v, cosine, sine, off, slope;

        subtract(x + 3 * angle->atom[0], x + 3 * angle->atom[1], u);
        subtract(x + 3 * angle->atom[2], x + 3 * angle->atom[1], v);
        cross(u, v, normal);
        length_u = sqrt(dot(u, u));
        length_v = sqrt(dot(v, v));
        cosine = dot(u, v) / (length_u * length_v);
        sine = sqrt(dot(normal, normal)) / (length_u * length_v);
        off = angle_of(sine, cosine) - angle->radians;
        sum += angle->stiffness * off * off;
        slope = 2.0 * angle->stiffness * off / (sine > SMALLEST_SINE ? sine : SMALLEST_SINE);
        for (int i = 0; i < 3; i++) {
            double unit_u = u[i] / length_u, unit_v = v[i] / length_v;
            double by_u = slope * (cosine * unit_u - unit_v) / length_u;
            double by_v = slope * (cosine * unit_v - unit_u) / length_v;

            first[i] += by_u;
            last[i] += by_v;
            middle[i] -= by_u + by_v;
        }
    }
    return sum;
}

/* cos and sin of a whole multiple of an angle, by adding the angle again and again. */
static void multiply_angle(double cosine, double sine, int fold, double *cosine_out, double *sine_out)
{
    double c = cosine, s = sine;

    for (int i = 1; i < fold; i++) {
        double next = c * cosine - s * sine;

        s = s * cosine + c * sine;
        c = next;
    }
    *cosine_out = c;
    *sine_out = s;
}

double torsion_energy(const struct molecule *molecule, const double *x, double *gradient)
{
    double sum = 0.0;

    for (int n = 0; n < molecule->torsions; n++) {
        const struct torsion *torsion = &molecule->torsion[n];
        const int *atom = torsion->atom;
        double f[3], g[3], h[3], a[3], b[3], turned[3];
        double area_a, area_b, axis, scale, cosine, sine, multiple_cosine, multiple_sine, slope, along_f, along_h;

        subtract(x + 3 * atom[0], x + 3 * atom[1], f);
        subtract(x + 3 * atom[1], x + 3 * atom[2], g);
        subtract(x + 3 * atom[3], x + 3 * atom[2], h);
        cross(f, g, a);
        cross(h, g, b);
        area_a = dot(a, a);
        area_b = dot(b, b);
        if (area_a < SMALLEST_AREA || area_b < SMALLEST_AREA)
            continue; /* three atoms in a line: there is no torsion */
        axis = sqrt(dot(g, g));
        scale = 1.0 / sqrt(area_a * area_b);
        cross(b, a, turned);
        cosine = dot(a, b) * scale;
        sine = dot(turned, g) * scale / axis;
        multiply_angle(cosine, sine, torsion->fold, &multiple_cosine, &multiple_sine);
        sum += torsion->height * (1.0 + torsion->sign * multiple_cosine);
        slope = -torsion->height * torsion->sign * torsion->fold * multiple_sine;
        along_f = dot(f, g) / (area_a * axis);
        along_h = dot(h, g) / (area_b * axis);
        for (int i = 0; i < 3; i++) {
            double by_first = -slope * axis / area_a * a[i], by_last = slope * axis / area_b * b[i];
            double shift = slope * (along_f * a[i] - along_h * b[i]);

            gradient[3 * atom[0] + i] += by_first;
            gradient[3 * atom[1] + i] += shift - by_first;
            gradient[3 * atom[2] + i] -= shift + by_last;
            gradient[3 * atom[3] + i] += by_last;
        }
    }
    return sum;
}
