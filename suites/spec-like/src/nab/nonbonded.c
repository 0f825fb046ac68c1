/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lennard-Jones and Coulomb energies of all pairs of atoms that are more than two bonds apart,
 * those at three bonds reduced, as in AMBER.
 */
#include "nab.h"

#include <math.h>

#define REDUCE_CONTACT 2.0
#define REDUCE_CHARGE 1.2

struct both {
    double contact, charge;
};

/* One pair: its energies go to sums, its slope to the gradient. */
static inline void add_pair(const struct contact *contact, double product, const double *x, double *gradient, int i,
                            int j, double contact_scale, double charge_scale, struct both *sums)
{
    double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1], dz = x[3 * i + 2] - x[3 * j + 2];
    double inverse_square = 1.0 / (dx * dx + dy * dy + dz * dz);
    double inverse_sixth = inverse_square * inverse_square * inverse_square;
    double repulsion = contact_scale * contact->twelfth * inverse_sixth * inverse_sixth;
    double attraction = contact_scale * contact->sixth * inverse_sixth;
    double charge = charge_scale * product * sqrt(inverse_square);
    double slope = -(12.0 * repulsion - 6.0 * attraction + charge) * inverse_square;

    sums->contact += repulsion - attraction;
    sums->charge += charge;
    gradient[3 * i] += slope * dx;
    gradient[3 * i + 1] += slope * dy;
    gradient[3 * i + 2] += slope * dz;
    gradient[3 * j] -= slope * dx;
    gradient[3 * j + 1] -= slope * dy;
    gradient[3 * j + 2] -= slope * dz;
}

static const struct contact *contact_of(const struct molecule *molecule, int i, int j)
{
    return &molecule->contact[molecule->type[i] * molecule->types + molecule->type[j]];
}

/* The near atoms of i are marked with i + 1, so that the marks need not be taken away again. */
void nonbonded_energy(struct model *model, const double *x, double *gradient, struct terms *terms)
{
    const struct molecule *molecule = model->molecule;
    double factor = COULOMB / model->solvent.inside;
    struct both sums = {0.0, 0.0};

    for (int i = 0; i < molecule->atoms; i++)
        model->mark[i] = 0;
    for (int i = 0; i < molecule->atoms; i++) {
        double charge = factor * molecule->charge[i];

        for (int k = molecule->first_near[i]; k < molecule->first_near[i + 1]; k++)
            model->mark[molecule->near[k]] = i + 1;
        for (int j = i + 1; j < molecule->atoms; j++)
            if (model->mark[j] != i + 1)
                add_pair(contact_of(molecule, i, j), charge * molecule->charge[j], x, gradient, i, j, 1.0, 1.0, &sums);
    }
    for (int k = 0; k < molecule->far_pairs; k++) {
        int i = molecule->far_pair[k].atom[0], j = molecule->far_pair[k].atom[1];

        add_pair(contact_of(molecule, i, j), factor * molecule->charge[i] * molecule->charge[j], x, gradient, i, j,
                 1.0 / REDUCE_CONTACT, 1.0 / REDUCE_CHARGE, &sums);
    }
    terms->contact = sums.contact;
    terms->charge = sums.charge;
}
