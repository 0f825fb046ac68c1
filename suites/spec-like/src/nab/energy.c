/* SPDX-License-Identifier: Apache-2.0 */
/* The energy as a whole, and points in the space of coordinates. */
#include "nab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void new_model(struct model *model, const struct molecule *molecule, const struct solvent *solvent)
{
    model->molecule = molecule;
    model->solvent = *solvent;
    model->effective = allocate(molecule->atoms, sizeof *model->effective);
    model->response = allocate(molecule->atoms, sizeof *model->response);
    model->slope = allocate(molecule->atoms, sizeof *model->slope);
    model->mark = allocate(molecule->atoms, sizeof *model->mark);
    model->evaluations = 0;
}

void free_model(struct model *model)
{
    free(model->effective);
    free(model->response);
    free(model->slope);
    free(model->mark);
}

void evaluate(struct model *model, struct point *point)
{
    const struct molecule *molecule = model->molecule;
    struct terms *terms = &point->terms;

    for (int i = 0; i < 3 * molecule->atoms; i++)
        point->gradient[i] = 0.0;
    terms->bond = bond_energy(molecule, point->x, point->gradient);
    terms->angle = angle_energy(molecule, point->x, point->gradient);
    terms->torsion = torsion_energy(molecule, point->x, point->gradient);
    nonbonded_energy(model, point->x, point->gradient, terms);
    terms->born = born_energy(model, point->x, point->gradient);
    point->energy = terms->bond + terms->angle + terms->torsion + terms->contact + terms->charge + terms->born;
    model->evaluations++;
}

void new_point(struct point *point, int atoms)
{
    memset(point, 0, sizeof *point);
    point->x = allocate(3 * atoms, sizeof *point->x);
    point->gradient = allocate(3 * atoms, sizeof *point->gradient);
}

void free_point(struct point *point)
{
    free(point->x);
    free(point->gradient);
}

void copy_point(struct point *to, const struct point *from, int atoms)
{
    memcpy(to->x, from->x, 3 * (size_t)atoms * sizeof *to->x);
    memcpy(to->gradient, from->gradient, 3 * (size_t)atoms * sizeof *to->gradient);
    to->energy = from->energy;
    to->terms = from->terms;
}

double product(const double *left, const double *right, int count)
{
    double sum = 0.0;

    for (int i = 0; i < count; i++)
        sum += left[i] * right[i];
    return sum;
}

double largest(const double *vector, int count)
{
    double most = 0.0;

    for (int i = 0; i < count; i++)
        if (fabs(vector[i]) > most)
            most = fabs(vector[i]);
    return most;
}
