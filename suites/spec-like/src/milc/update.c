/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of the gauge field under Wilson's action, one SU(2) subgroup after the other: Cabibbo and
 * Marinari, Physics Letters B 119, 1982. The heat bath of a subgroup is that of Kennedy and Pendleton,
 * Physics Letters B 156, 1985, or where the links around are random Creutz's, Physical Review D 21,
 * 1980. Between heat baths the links are reflected, which keeps the action (Creutz, Physical
 * Review D 36, 1987).
 */
#include "elementary.h"
#include "lattice.h"

#include <math.h>

#define SUBGROUPS 3

static const int ROWS[SUBGROUPS][2] = {{0, 1}, {0, 2}, {1, 2}};

/* An element of SU(2): a[0] + i (a[1] sigma1 + a[2] sigma2 + a[3] sigma3). */
struct quaternion {
    double a[4];
};

/* The sum over the six staples V for which tr(U V) is a plaquette with the link U. */
static void add_staples(const struct lattice *lattice, int site, int mu, struct matrix *sum)
{
    int ahead = lattice->next[site][mu];
    struct matrix corner, staple;

    *sum = (struct matrix){0};
    for (int nu = 0; nu < DIRECTIONS; nu++) {
        int above = lattice->next[site][nu], below = lattice->last[site][nu];

        if (nu == mu)
            continue;
        multiply_adjoint(&corner, &lattice->link[ahead][nu], &lattice->link[above][mu]);
        multiply_adjoint(&staple, &corner, &lattice->link[site][nu]);
        add_matrix(sum, &staple);
        multiply(&corner, &lattice->link[below][mu], &lattice->link[lattice->next[below][mu]][nu]);
        adjoint_multiply(&staple, &corner, &lattice->link[below][nu]);
        add_matrix(sum, &staple);
    }
}

/* The part of two rows and columns of w that is k times an element of SU(2); returns k. */
static double project(const struct matrix *w, const int rows[2], struct quaternion *out)
{
    const struct number *first = w->e[rows[0]], *second = w->e[rows[1]];
    int i = rows[0], j = rows[1];
    double k;

    out->a[0] = 0.5 * (first[i].re + second[j].re);
    out->a[1] = 0.5 * (first[j].im + second[i].im);
    out->a[2] = 0.5 * (first[j].re - second[i].re);
    out->a[3] = 0.5 * (first[i].im - second[j].im);
    k = sqrt(out->a[0] * out->a[0] + out->a[1] * out->a[1] + out->a[2] * out->a[2] + out->a[3] * out->a[3]);
    if (k < 1e-12) {
        *out = (struct quaternion){{1.0, 0.0, 0.0, 0.0}};
        return 0.0;
    }
    for (int n = 0; n < 4; n++)
        out->a[n] /= k;
    return k;
}

static void adjoin(struct quaternion *q)
{
    for (int n = 1; n < 4; n++)
        q->a[n] = -q->a[n];
}

static void multiply_quaternions(struct quaternion *out, const struct quaternion *p, const struct quaternion *q)
{
    const double *a = p->a, *b = q->a;

    out->a[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out->a[1] = a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    out->a[2] = a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    out->a[3] = a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
}

/* m = q m in the two rows. */
static void rotate(struct matrix *m, const int rows[2], const struct quaternion *q)
{
    struct number *first = m->e[rows[0]], *second = m->e[rows[1]];
    const double *a = q->a;

    for (int k = 0; k < 3; k++) {
        struct number u = first[k], v = second[k];

        first[k].re = a[0] * u.re - a[3] * u.im + a[2] * v.re - a[1] * v.im;
        first[k].im = a[0] * u.im + a[3] * u.re + a[2] * v.im + a[1] * v.re;
        second[k].re = a[0] * v.re + a[3] * v.im - a[2] * u.re - a[1] * u.im;
        second[k].im = a[0] * v.im - a[3] * v.re - a[2] * u.im + a[1] * u.re;
    }
}

/* A number from -1 to 1, of the density sqrt(1 - x^2) exp(alpha x). */
static double draw_cosine(double alpha, uint64_t *state, struct draws *draws)
{
    double x, height;

    do {
        draws->made++;
        if (alpha < 1e-6) {
            x = 2.0 * uniform(state) - 1.0;
            height = sqrt(1.0 - x * x);
        } else if (alpha < 1.5) {
            double least = exponential(-2.0 * alpha);

            x = 1.0 + logarithm(least + (1.0 - least) * uniform(state)) / alpha;
            height = x > -1.0 && x < 1.0 ? sqrt(1.0 - x * x) : 0.0;
        } else {
            double first = logarithm(uniform(state)), second = logarithm(uniform(state)), cosine, sine, gap;

            circle(uniform(state), &cosine, &sine);
            gap = -(first + cosine * cosine * second) / alpha;
            x = 1.0 - gap;
            height = gap < 2.0 ? sqrt(1.0 - 0.5 * gap) : 0.0;
        }
    } while (uniform(state) >= height);
    draws->taken++;
    return x;
}

/* An element of SU(2) near the identity, the more so the larger alpha is. */
static void draw_quaternion(struct quaternion *out, double alpha, uint64_t *state, struct draws *draws)
{
    double x = draw_cosine(alpha, state, draws), radius = sqrt(1.0 - x * x), up, across, cosine, sine;

    up = 2.0 * uniform(state) - 1.0;
    across = radius * sqrt(1.0 - up * up);
    circle(uniform(state), &cosine, &sine);
    out->a[0] = x;
    out->a[1] = across * cosine;
    out->a[2] = across * sine;
    out->a[3] = radius * up;
}

static void heat_link(struct lattice *lattice, int site, int mu, double beta, struct draws *draws)
{
    struct matrix *link = &lattice->link[site][mu], staples, w;

    add_staples(lattice, site, mu, &staples);
    multiply(&w, link, &staples);
    for (int n = 0; n < SUBGROUPS; n++) {
        struct quaternion old, fresh, change;
        double k = project(&w, ROWS[n], &old);

        draw_quaternion(&fresh, 2.0 / 3.0 * beta * k, &lattice->random[site], draws);
        adjoin(&old);
        multiply_quaternions(&change, &fresh, &old);
        rotate(link, ROWS[n], &change);
        rotate(&w, ROWS[n], &change);
    }
}

static void reflect_link(struct lattice *lattice, int site, int mu)
{
    struct matrix *link = &lattice->link[site][mu], staples, w;

    add_staples(lattice, site, mu, &staples);
    multiply(&w, link, &staples);
    for (int n = 0; n < SUBGROUPS; n++) {
        struct quaternion old, change;

        project(&w, ROWS[n], &old);
        adjoin(&old);
        multiply_quaternions(&change, &old, &old);
        rotate(link, ROWS[n], &change);
        rotate(&w, ROWS[n], &change);
    }
}

/* Even sites, then odd ones: no two links updated together share a plaquette. */
void sweep_heat_bath(struct lattice *lattice, double beta, struct draws *draws)
{
    for (int mu = 0; mu < DIRECTIONS; mu++)
        for (int site = 0; site < lattice->sites; site++)
            heat_link(lattice, site, mu, beta, draws);
}

void sweep_reflections(struct lattice *lattice)
{
    for (int mu = 0; mu < DIRECTIONS; mu++)
        for (int site = 0; site < lattice->sites; site++)
            reflect_link(lattice, site, mu);
}
