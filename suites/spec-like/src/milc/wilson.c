/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wilson's quarks ("Quarks and strings on a lattice", 1975): M = 1 - kappa H with H psi(x) = sum over mu of
 * (1 - gamma_mu) U_mu(x) psi(x + mu) + (1 + gamma_mu) U_mu(x - mu)+ psi(x - mu). The gamma matrices are chiral:
 * gamma_k = ((0, -i sigma_k), (i sigma_k, 0)), gamma_4 = ((0, 1), (1, 0)), gamma_5 = diag(1, 1, -1, -1). Of
 * (1 -+ gamma_mu) psi the two upper components determine the two lower ones.
 */
#include "fermion.h"

#include <math.h>
#include <stdlib.h>

#define SPINS 4

struct spinor {
    struct vector s[SPINS];
};

struct wilson {
    const struct lattice *lattice;
    double kappa;
    struct spinor *room;
};

static inline struct number times_i(struct number a, double sign)
{
    struct number product = {-sign * a.im, sign * a.re};

    return product;
}

static inline struct number scaled(struct number a, double scale)
{
    struct number product = {scale * a.re, scale * a.im};

    return product;
}

/* out += sign * T v in the space of two spins, T being i sigma_mu, or -1 for time. */
static inline void add_turned(struct vector out[2], const struct vector v[2], int mu, double sign)
{
    for (int c = 0; c < 3; c++) {
        struct number first, second;

        switch (mu) {
        case 0:
            first = times_i(v[1].c[c], sign);
            second = times_i(v[0].c[c], sign);
            break;
        case 1:
            first = scaled(v[1].c[c], sign);
            second = scaled(v[0].c[c], -sign);
            break;
        case 2:
            first = times_i(v[0].c[c], sign);
            second = times_i(v[1].c[c], -sign);
            break;
        default:
            first = scaled(v[0].c[c], -sign);
            second = scaled(v[1].c[c], -sign);
            break;
        }
        out[0].c[c].re += first.re;
        out[0].c[c].im += first.im;
        out[1].c[c].re += second.re;
        out[1].c[c].im += second.im;
    }
}

/* The upper half of (1 - sign gamma_mu) psi. */
static inline void project(struct vector half[2], const struct spinor *psi, int mu, double sign)
{
    half[0] = psi->s[0];
    half[1] = psi->s[1];
    add_turned(half, psi->s + 2, mu, sign);
}

/* Add factor times the four components that have this upper half. */
static inline void reconstruct(struct spinor *sum, struct vector half[2], int mu, double sign, double factor)
{
    for (int spin = 0; spin < 2; spin++) {
        for (int c = 0; c < 3; c++) {
            half[spin].c[c] = scaled(half[spin].c[c], factor);
            sum->s[spin].c[c].re += half[spin].c[c].re;
            sum->s[spin].c[c].im += half[spin].c[c].im;
        }
    }
    add_turned(sum->s + 2, half, mu, mu == TIME ? sign : -sign);
}

static void hop(const struct lattice *lattice, int site, const struct spinor *in, struct spinor *sum)
{
    struct vector half[2], moved[2];

    for (int mu = 0; mu < DIRECTIONS; mu++) {
        int ahead = lattice->next[site][mu], behind = lattice->last[site][mu];
        int time = lattice->place[site][TIME];
        double ahead_sign = mu == TIME && time == lattice->length[TIME] - 1 ? -1.0 : 1.0;
        double behind_sign = mu == TIME && time == 0 ? -1.0 : 1.0;

        project(half, &in[ahead], mu, 1.0);
        apply(&moved[0], &lattice->link[site][mu], &half[0]);
        apply(&moved[1], &lattice->link[site][mu], &half[1]);
        reconstruct(sum, moved, mu, 1.0, ahead_sign);
        project(half, &in[behind], mu, -1.0);
        apply_adjoint(&moved[0], &lattice->link[behind][mu], &half[0]);
        apply_adjoint(&moved[1], &lattice->link[behind][mu], &half[1]);
        reconstruct(sum, moved, mu, -1.0, behind_sign);
    }
}

/* out = gamma_5 M in; gamma_5 M is Hermitian. */
static void multiply_hermitian(const struct wilson *quark, const struct spinor *in, struct spinor *out)
{
    for (int site = 0; site < quark->lattice->sites; site++) {
        struct spinor sum = {0};

        hop(quark->lattice, site, in, &sum);
        for (int spin = 0; spin < SPINS; spin++) {
            double sign = spin < 2 ? 1.0 : -1.0;

            for (int c = 0; c < 3; c++) {
                const struct number here = in[site].s[spin].c[c], there = sum.s[spin].c[c];

                out[site].s[spin].c[c].re = sign * (here.re - quark->kappa * there.re);
                out[site].s[spin].c[c].im = sign * (here.im - quark->kappa * there.im);
            }
        }
    }
}

/* out = M+ M in = (gamma_5 M)^2 in. */
static void operate(void *context, const double *in, double *out)
{
    struct wilson *quark = context;

    multiply_hermitian(quark, (const struct spinor *)in, quark->room);
    multiply_hermitian(quark, quark->room, (struct spinor *)out);
}

void wilson_pion(const struct lattice *lattice, double kappa, int spin, int colour, const struct limits *limits,
                 double *correlator, struct outcome *outcome)
{
    long sites = lattice->sites, length = sites * SPINS * 6;
    struct wilson quark = {lattice, kappa, allocate(sites, sizeof *quark.room)};
    struct spinor *source = allocate(sites, sizeof *source), *side = allocate(sites, sizeof *side);
    struct spinor *propagator = allocate(sites, sizeof *propagator);
    double *difference = (double *)side;

    /* gamma_5 M x = gamma_5 b, so that (gamma_5 M)^2 x = gamma_5 M gamma_5 b. */
    source[0].s[spin].c[colour].re = spin < 2 ? 1.0 : -1.0;
    multiply_hermitian(&quark, source, side);
    outcome->iterations =
        conjugate_gradient(operate, &quark, length, (const double *)side, (double *)propagator, limits);
    multiply_hermitian(&quark, propagator, side);
    for (long i = 0; i < length; i++)
        difference[i] -= ((const double *)source)[i];
    outcome->residual = sqrt(inner(difference, difference, length));
    for (long site = 0; site < sites; site++) {
        const double *here = (const double *)&propagator[site];

        correlator[lattice->place[site][TIME]] += inner(here, here, SPINS * 6);
    }
    free(quark.room);
    free(source);
    free(side);
    free(propagator);
}
