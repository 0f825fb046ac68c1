/* SPDX-License-Identifier: Apache-2.0 */
/* The lattice's geometry, its start, and random gauge transformations. */
#include "lattice.h"

#include <stdlib.h>

int site_at(const struct lattice *lattice, const int place[DIRECTIONS])
{
    int index = 0, sum = 0;

    for (int d = DIRECTIONS - 1; d >= 0; d--) {
        index = index * lattice->length[d] + place[d];
        sum += place[d];
    }
    return index / 2 + (sum % 2) * lattice->half;
}

static int neighbour(const struct lattice *lattice, const int place[DIRECTIONS], int direction, int step)
{
    int there[DIRECTIONS];

    for (int d = 0; d < DIRECTIONS; d++)
        there[d] = place[d];
    there[direction] = (place[direction] + step) % lattice->length[direction];
    return site_at(lattice, there);
}

static void place_site(struct lattice *lattice, const int place[DIRECTIONS])
{
    int site = site_at(lattice, place);

    for (int d = 0; d < DIRECTIONS; d++) {
        lattice->place[site][d] = place[d];
        lattice->next[site][d] = neighbour(lattice, place, d, 1);
        lattice->last[site][d] = neighbour(lattice, place, d, lattice->length[d] - 1);
    }
}

/* Spread the bits of a number, so that sites begin far apart (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t spread(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void make_lattice(struct lattice *lattice, const int length[DIRECTIONS], uint64_t seed)
{
    int place[DIRECTIONS];

    lattice->sites = 1;
    for (int d = 0; d < DIRECTIONS; d++) {
        lattice->length[d] = length[d];
        lattice->sites *= length[d];
    }
    lattice->half = lattice->sites / 2;
    lattice->next = allocate(lattice->sites, sizeof *lattice->next);
    lattice->last = allocate(lattice->sites, sizeof *lattice->last);
    lattice->place = allocate(lattice->sites, sizeof *lattice->place);
    lattice->link = allocate(lattice->sites, sizeof *lattice->link);
    lattice->random = allocate(lattice->sites, sizeof *lattice->random);
    for (place[3] = 0; place[3] < length[3]; place[3]++)
        for (place[2] = 0; place[2] < length[2]; place[2]++)
            for (place[1] = 0; place[1] < length[1]; place[1]++)
                for (place[0] = 0; place[0] < length[0]; place[0]++)
                    place_site(lattice, place);
    for (int site = 0; site < lattice->sites; site++) {
        lattice->random[site] = spread(seed + (uint64_t)(site + 1) * 0x9e3779b97f4a7c15);
        if (lattice->random[site] == 0)
            lattice->random[site] = 1; /* the one state that the generator never leaves */
    }
}

void free_lattice(struct lattice *lattice)
{
    free(lattice->next);
    free(lattice->last);
    free(lattice->place);
    free(lattice->link);
    free(lattice->random);
}

/* Any matrix of SU(3), all equally likely. */
static void random_matrix(struct matrix *out, uint64_t *state)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            two_gaussians(state, &out->e[i][j].re, &out->e[i][j].im);
    make_unitary(out);
}

void start_cold(struct lattice *lattice)
{
    for (int site = 0; site < lattice->sites; site++)
        for (int d = 0; d < DIRECTIONS; d++)
            set_identity(&lattice->link[site][d]);
}

void start_hot(struct lattice *lattice)
{
    for (int site = 0; site < lattice->sites; site++)
        for (int d = 0; d < DIRECTIONS; d++)
            random_matrix(&lattice->link[site][d], &lattice->random[site]);
}

/* A matrix g for every site; the link from x to y becomes g(x) U g(y)+. */
void transform(struct lattice *lattice)
{
    struct matrix *g = allocate(lattice->sites, sizeof *g), half;

    for (int site = 0; site < lattice->sites; site++)
        random_matrix(&g[site], &lattice->random[site]);
    for (int site = 0; site < lattice->sites; site++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            multiply(&half, &g[site], &lattice->link[site][d]);
            multiply_adjoint(&lattice->link[site][d], &half, &g[lattice->next[site][d]]);
        }
    }
    free(g);
}

double make_links_unitary(struct lattice *lattice)
{
    double largest = 0.0;

    for (int site = 0; site < lattice->sites; site++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            double here = deviation(&lattice->link[site][d]);

            if (!(here <= largest))
                largest = here;
            make_unitary(&lattice->link[site][d]);
        }
    }
    return largest;
}
