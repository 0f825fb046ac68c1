/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staggered quarks: Kogut and Susskind, Physical Review D 11, 1975. The matrix is 2m + D with
 * D v(x) = sum over mu of eta_mu(x) [U_mu(x) v(x + mu) - U_mu(x - mu)+ v(x - mu)]; D connects even with odd
 * sites only, so that (2m + D)+ (2m + D) = 4m^2 - D^2 is solved on the even ones alone.
 */
#include "fermion.h"

#include <math.h>
#include <stdlib.h>

struct staggered {
    const struct lattice *lattice;
    double (*sign)[DIRECTIONS]; /* eta, with a change at the boundary in time; of the link that starts at a site */
    double mass;
    struct vector *odd;         /* room for the odd half of a vector */
};

static void set_signs(struct staggered *quark)
{
    const struct lattice *lattice = quark->lattice;

    for (int site = 0; site < lattice->sites; site++) {
        int sum = 0;

        for (int mu = 0; mu < DIRECTIONS; mu++) {
            quark->sign[site][mu] = sum % 2 == 0 ? 1.0 : -1.0;
            sum += lattice->place[site][mu];
        }
        if (lattice->place[site][TIME] == lattice->length[TIME] - 1)
            quark->sign[site][TIME] = -quark->sign[site][TIME];
    }
}

static void add_scaled(struct vector *sum, double scale, const struct vector *v)
{
    for (int c = 0; c < 3; c++) {
        sum->c[c].re += scale * v->c[c].re;
        sum->c[c].im += scale * v->c[c].im;
    }
}

/* D from one half of the sites to the other; out and in are indexed within their halves. */
static void hop(const struct staggered *quark, int to, struct vector *out, const struct vector *in)
{
    const struct lattice *lattice = quark->lattice;
    int from = lattice->half - to;

    for (int i = 0; i < lattice->half; i++) {
        int site = to + i;
        struct vector sum = {0}, part;

        for (int mu = 0; mu < DIRECTIONS; mu++) {
            int ahead = lattice->next[site][mu], behind = lattice->last[site][mu];

            apply(&part, &lattice->link[site][mu], &in[ahead - from]);
            add_scaled(&sum, quark->sign[site][mu], &part);
            apply_adjoint(&part, &lattice->link[behind][mu], &in[behind - from]);
            add_scaled(&sum, -quark->sign[behind][mu], &part);
        }
        out[i] = sum;
    }
}

/* out = (4m^2 - D^2) in, on the even sites. */
static void operate(void *context, const double *in, double *out)
{
    struct staggered *quark = context;
    double scale = 4.0 * quark->mass * quark->mass;
    long length = 6L * quark->lattice->half;

    hop(quark, quark->lattice->half, quark->odd, (const struct vector *)in);
    hop(quark, 0, (struct vector *)out, quark->odd);
    for (long i = 0; i < length; i++)
        out[i] = scale * in[i] - out[i];
}

/* The norm of (2m + D) v - source, for a source of norm 1; v has both halves. */
static double residual_of(const struct staggered *quark, const struct vector *v, const struct vector *source)
{
    int half = quark->lattice->half;
    struct vector *image = allocate(2L * half, sizeof *image);
    double sum;

    hop(quark, 0, image, v + half);
    hop(quark, half, image + half, v);
    for (int site = 0; site < 2 * half; site++) {
        add_scaled(&image[site], 2.0 * quark->mass, &v[site]);
        if (site < half)
            add_scaled(&image[site], -1.0, &source[site]);
    }
    sum = inner((const double *)image, (const double *)image, 12L * half);
    free(image);
    return sqrt(sum);
}

void staggered_pion(const struct lattice *lattice, double mass, int colour, const struct limits *limits,
                    double *correlator, struct outcome *outcome)
{
    int half = lattice->half;
    struct staggered quark = {lattice, allocate(lattice->sites, sizeof *quark.sign), mass,
                              allocate(half, sizeof *quark.odd)};
    struct vector *source = allocate(half, sizeof *source), *solution = allocate(half, sizeof *solution);
    struct vector *propagator = allocate(lattice->sites, sizeof *propagator);

    set_signs(&quark);
    source[0].c[colour].re = 1.0; /* site 0 is the origin */
    outcome->iterations =
        conjugate_gradient(operate, &quark, 6L * half, (const double *)source, (double *)solution, limits);

    /* The propagator is (2m - D) times the solution. */
    hop(&quark, half, propagator + half, solution);
    for (int i = 0; i < half; i++) {
        struct vector zero = {0};

        add_scaled(&propagator[i], 2.0 * mass, &solution[i]);
        add_scaled(&zero, -1.0, &propagator[half + i]);
        propagator[half + i] = zero;
    }
    outcome->residual = residual_of(&quark, propagator, source);
    for (int site = 0; site < lattice->sites; site++) {
        const double *here = (const double *)&propagator[site];

        correlator[lattice->place[site][TIME]] += inner(here, here, 6);
    }
    free(quark.sign);
    free(quark.odd);
    free(source);
    free(solution);
    free(propagator);
}
