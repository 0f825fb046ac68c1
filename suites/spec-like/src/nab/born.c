/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generalised Born energy of charges in a solvent (W. C. Still et al., Journal of the American
 * Chemical Society 112, 1990), with Born radii by pairwise descreening (G. D. Hawkins, C. J. Cramer
 * and D. G. Truhlar, Journal of Physical Chemistry 100, 1996), on demand rescaled (A. Onufriev,
 * D. Bashford and D. A. Case, Proteins 55, 2004, model II), and with screening by salt
 * (J. Srinivasan et al., Theoretical Chemistry Accounts 101, 1999).
 */
#include "nab.h"

#include <math.h>

#define OFFSET 0.09           /* Angstrom that Born radii are reduced by */
#define LARGEST_RADIUS 30.0   /* of an atom that is buried */
#define ALPHA 1.0
#define BETA 0.8
#define GAMMA 4.85

static double reduced_radius(const struct molecule *molecule, int atom)
{
    return molecule->kinds[molecule->type[atom]].radius - OFFSET;
}

static double screening_radius(const struct molecule *molecule, int atom)
{
    return molecule->kinds[molecule->type[atom]].screen * reduced_radius(molecule, atom);
}

/*
 * Twice what a sphere of radius s at a distance r takes from the integral of an atom of radius rho.
 * The derivatives by the bounds of the integral cancel, so that its slope is short.
 */
static double descreening(double r, double rho, double s)
{
    double lower = fabs(r - s), upper = r + s, whole = 0.0;

    if (rho >= upper)
        return 0.0; /* the sphere is inside of the atom */
    if (s > r + rho)
        whole = 2.0 * (1.0 / rho - 1.0 / lower); /* the atom is inside of the sphere */
    if (lower < rho)
        lower = rho;
    return whole + 1.0 / lower - 1.0 / upper +
           0.25 * (r - s * s / r) * (1.0 / (upper * upper) - 1.0 / (lower * lower)) +
           0.5 * natural_log(lower / upper) / r;
}

static double descreening_slope(double r, double rho, double s)
{
    double lower = fabs(r - s), upper = r + s;

    if (rho >= upper)
        return 0.0;
    if (lower < rho)
        lower = rho;
    return 0.25 * (1.0 + s * s / (r * r)) * (1.0 / (upper * upper) - 1.0 / (lower * lower)) -
           0.5 * natural_log(lower / upper) / (r * r);
}

static double distance(const double *x, int i, int j)
{
    double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1], dz = x[3 * i + 2] - x[3 * j + 2];

    return sqrt(dx * dx + dy * dy + dz * dz);
}

/* From the integral of an atom to its Born radius, and how the radius changes with the integral. */
static void set_radius(struct model *model, int atom, double integral)
{
    const struct type *kind = &model->molecule->kinds[model->molecule->type[atom]];
    double rho = kind->radius - OFFSET, inverse, slope = 1.0;

    if (model->solvent.born == ONUFRIEV) {
        double psi = integral * rho;
        double bent = hyperbolic_tangent(psi * (ALPHA - psi * (BETA - psi * GAMMA)));

        inverse = 1.0 / rho - bent / kind->radius;
        slope = (1.0 - bent * bent) * (ALPHA - psi * (2.0 * BETA - psi * 3.0 * GAMMA)) * rho / kind->radius;
    } else {
        inverse = 1.0 / rho - integral;
    }
    if (inverse > 1.0 / LARGEST_RADIUS) {
        model->effective[atom] = 1.0 / inverse;
        model->response[atom] = slope / (inverse * inverse);
    } else {
        model->effective[atom] = LARGEST_RADIUS;
        model->response[atom] = 0.0;
    }
}

static void find_radii(struct model *model, const double *x)
{
    const struct molecule *molecule = model->molecule;
    double *integral = model->slope; /* free until the energies are known */

    for (int i = 0; i < molecule->atoms; i++)
        integral[i] = 0.0;
    for (int i = 0; i < molecule->atoms; i++) {
        double rho = reduced_radius(molecule, i), s = screening_radius(molecule, i);

        for (int j = i + 1; j < molecule->atoms; j++) {
            double r = distance(x, i, j);

            integral[i] += 0.5 * descreening(r, rho, screening_radius(molecule, j));
            integral[j] += 0.5 * descreening(r, reduced_radius(molecule, j), s);
        }
    }
    for (int i = 0; i < molecule->atoms; i++)
        set_radius(model, i, integral[i]);
}

/* (1 / inside - exp(-kappa f) / outside) / f, and its slope. */
static double attenuation(const struct solvent *solvent, double f, double *slope)
{
    double salt = solvent->kappa > 0.0 ? natural_exp(-solvent->kappa * f) : 1.0;
    double value = (1.0 / solvent->inside - salt / solvent->outside) / f;

    *slope = (solvent->kappa * salt / solvent->outside - value) / f;
    return value;
}

/* Energies of all atoms with themselves and with each other, at the radii as they are. */
static double sum_pairs(struct model *model, const double *x, double *gradient)
{
    const struct molecule *molecule = model->molecule;
    const double *radius = model->effective;
    double sum = 0.0;

    for (int i = 0; i < molecule->atoms; i++) {
        double slope, charge = COULOMB * molecule->charge[i];

        sum -= 0.5 * charge * molecule->charge[i] * attenuation(&model->solvent, radius[i], &slope);
        model->slope[i] = -0.5 * charge * molecule->charge[i] * slope;
    }
    for (int i = 0; i < molecule->atoms; i++) {
        double charge = COULOMB * molecule->charge[i];

        for (int j = i + 1; j < molecule->atoms; j++) {
            double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1], dz = x[3 * i + 2] - x[3 * j + 2];
            double square = dx * dx + dy * dy + dz * dz;
            double area = radius[i] * radius[j], bell = natural_exp(-0.25 * square / area);
            double f = sqrt(square + area * bell), product = charge * molecule->charge[j];
            double slope, by_square, by_area;

            sum -= product * attenuation(&model->solvent, f, &slope);
            by_square = -product * slope / (2.0 * f);
            by_area = by_square * bell * (1.0 + 0.25 * square / area);
            model->slope[i] += by_area * radius[j];
            model->slope[j] += by_area * radius[i];
            by_square *= 2.0 - 0.5 * bell;
            gradient[3 * i] += by_square * dx;
            gradient[3 * i + 1] += by_square * dy;
            gradient[3 * i + 2] += by_square * dz;
            gradient[3 * j] -= by_square * dx;
            gradient[3 * j + 1] -= by_square * dy;
            gradient[3 * j + 2] -= by_square * dz;
        }
    }
    return sum;
}

/* What the energy changes by because the radii change. */
static void add_radius_slopes(const struct model *model, const double *x, double *gradient)
{
    const struct molecule *molecule = model->molecule;

    for (int i = 0; i < molecule->atoms; i++) {
        double rho = reduced_radius(molecule, i), s = screening_radius(molecule, i);
        double weight = 0.5 * model->slope[i] * model->response[i];

        for (int j = i + 1; j < molecule->atoms; j++) {
            double r = distance(x, i, j), other = 0.5 * model->slope[j] * model->response[j];
            double slope = (weight * descreening_slope(r, rho, screening_radius(molecule, j)) +
                            other * descreening_slope(r, reduced_radius(molecule, j), s)) /
                           r;

            for (int k = 0; k < 3; k++) {
                double part = slope * (x[3 * i + k] - x[3 * j + k]);

                gradient[3 * i + k] += part;
                gradient[3 * j + k] -= part;
            }
        }
    }
}

double born_energy(struct model *model, const double *x, double *gradient)
{
    double energy;

    find_radii(model, x);
    energy = sum_pairs(model, x, gradient);
    add_radius_slopes(model, x, gradient);
    return energy;
}
