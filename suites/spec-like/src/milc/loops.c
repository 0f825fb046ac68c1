/* SPDX-License-Identifier: Apache-2.0 */
/* Closed loops of links: plaquettes, Wilson loops (Physical Review D 10, 1974), Polyakov loops. */
#include "lattice.h"

void plaquettes(const struct lattice *lattice, double *space, double *time)
{
    double sum[2] = {0.0, 0.0};

    for (int site = 0; site < lattice->sites; site++) {
        for (int mu = 1; mu < DIRECTIONS; mu++) {
            for (int nu = 0; nu < mu; nu++) {
                struct matrix there, other;

                multiply(&there, &lattice->link[site][mu], &lattice->link[lattice->next[site][mu]][nu]);
                multiply(&other, &lattice->link[site][nu], &lattice->link[lattice->next[site][nu]][mu]);
                sum[mu == TIME] += real_trace_adjoint(&there, &other);
            }
        }
    }
    *space = sum[0] / (9.0 * lattice->sites);
    *time = sum[1] / (9.0 * lattice->sites);
}

/* The product of count links from a site; returns the site where it ends. */
static int follow(const struct lattice *lattice, int site, int direction, int count, struct matrix *product)
{
    for (int n = 0; n < count; n++) {
        struct matrix before = *product;

        multiply(product, &before, &lattice->link[site][direction]);
        site = lattice->next[site][direction];
    }
    return site;
}

double wilson_loop(const struct lattice *lattice, int space, int time)
{
    double sum = 0.0;

    for (int site = 0; site < lattice->sites; site++) {
        for (int mu = 0; mu < TIME; mu++) {
            struct matrix there, other;
            int corner;

            set_identity(&there);
            corner = follow(lattice, site, mu, space, &there);
            follow(lattice, corner, TIME, time, &there);
            set_identity(&other);
            corner = follow(lattice, site, TIME, time, &other);
            follow(lattice, corner, mu, space, &other);
            sum += real_trace_adjoint(&there, &other);
        }
    }
    return sum / (9.0 * lattice->sites);
}

/* Around the lattice in time; complex. */
struct number polyakov_loop(const struct lattice *lattice)
{
    struct number sum = {0.0, 0.0};
    double count = 3.0 * lattice->sites / lattice->length[TIME];

    for (int site = 0; site < lattice->sites; site++) {
        struct matrix product;
        struct number part;

        if (lattice->place[site][TIME] != 0)
            continue;
        set_identity(&product);
        follow(lattice, site, TIME, lattice->length[TIME], &product);
        part = trace(&product);
        sum.re += part.re / count;
        sum.im += part.im / count;
    }
    return sum;
}
