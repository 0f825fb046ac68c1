/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A molecule, its energy, and what is done with it. Units: Angstrom, kcal/mol, atomic mass units,
 * elementary charges; coordinates are x, y, z of the first atom, then of the next.
 */
#ifndef NAB_H
#define NAB_H

#include <stddef.h>
#include <stdint.h>

#define COULOMB 332.0637141491396 /* kcal Angstrom / (mol e^2) */

/* Of an atom: half of the distance of least energy, and the depth there; Born radius and its scale. */
struct type {
    char name[8];
    double mass, half, depth, radius, screen;
};

struct bond {
    int atom[2];
    double stiffness, length;       /* stiffness * (r - length)^2 */
};

struct angle {
    int atom[3];
    double stiffness, radians;      /* stiffness * (angle - radians)^2 */
};

struct torsion {
    int atom[4];
    double height;                  /* height * (1 + sign * cos(fold * torsion)) */
    int fold, sign;
};

/* depth * ((distance / r)^12 - 2 * (distance / r)^6) as twelfth / r^12 - sixth / r^6 */
struct contact {
    double twelfth, sixth;
};

struct pair {
    int atom[2];
};

struct molecule {
    char title[64];
    int atoms, bonds, angles, torsions, types;
    int *type;
    double *charge, *mass, *start;  /* start: the coordinates that were read */
    struct type *kinds;
    struct bond *bond;
    struct angle *angle;
    struct torsion *torsion;
    struct contact *contact;        /* types x types */
    int *first_near;                /* atoms + 1: near[first_near[i]] … are the atoms after i that are */
    int *near;                      /* at most three bonds away */
    int far_pairs;
    struct pair *far_pair;          /* the pairs that are three bonds apart */
};

enum born { HAWKINS, ONUFRIEV };

struct solvent {
    enum born born;
    double inside, outside;         /* dielectric constants */
    double kappa;                   /* inverse Debye length, 1/Angstrom */
};

struct terms {
    double bond, angle, torsion, contact, charge, born;
};

/* What an evaluation needs; made once. */
struct model {
    const struct molecule *molecule;
    struct solvent solvent;
    double *effective;              /* Born radii */
    double *response;               /* derivative of a Born radius by its integral */
    double *slope;                  /* derivative of the energy by a Born radius */
    int *mark;
    long evaluations;
};

/* A place in the space of coordinates. */
struct point {
    double *x, *gradient;
    double energy;
    struct terms terms;
};

/* read.c, prepare.c */
_Noreturn void fail(const char *format, ...);
void *allocate(int count, size_t size);
void read_molecule(struct molecule *molecule, const char *path);
void prepare_molecule(struct molecule *molecule);
void free_molecule(struct molecule *molecule);

/* maths.c */
double natural_exp(double x);
double natural_log(double x);
double hyperbolic_tangent(double x);
double angle_of(double sine, double cosine);
int check_maths(void);

/* bonded.c, nonbonded.c, born.c: the energies; the gradient is added to */
double bond_energy(const struct molecule *molecule, const double *x, double *gradient);
double angle_energy(const struct molecule *molecule, const double *x, double *gradient);
double torsion_energy(const struct molecule *molecule, const double *x, double *gradient);
void nonbonded_energy(struct model *model, const double *x, double *gradient, struct terms *terms);
double born_energy(struct model *model, const double *x, double *gradient);

/* energy.c */
void new_model(struct model *model, const struct molecule *molecule, const struct solvent *solvent);
void free_model(struct model *model);
void evaluate(struct model *model, struct point *point);
void new_point(struct point *point, int atoms);
void free_point(struct point *point);
void copy_point(struct point *to, const struct point *from, int atoms);
double product(const double *left, const double *right, int count);
double largest(const double *vector, int count);

/* search.c, conjugate.c, lbfgs.c; each returns the number of iterations it took */
typedef void watch_function(int iteration, const struct point *point, int atoms);
int line_search(struct model *model, struct point *point, const double *direction, double guess, double bend,
                double *taken);
int minimise_conjugate(struct model *model, struct point *point, int iterations, double enough,
                       watch_function *watch);
int minimise_lbfgs(struct model *model, struct point *point, int iterations, double enough, watch_function *watch);

/* dynamics.c */
struct motion {
    double *velocity;
    double kinetic;
    double momentum[3], spin[3];
};

void start_motion(struct motion *motion, const struct molecule *molecule, double temperature, uint64_t seed);
void free_motion(struct motion *motion);
void move_on(struct motion *motion, struct model *model, struct point *point, double femtoseconds);
void measure_motion(struct motion *motion, const struct molecule *molecule, const double *x);
double temperature_of(const struct motion *motion, int atoms);

/* check.c */
double check_gradient(struct model *model, const struct point *point, int coordinates);
void total_force(const struct point *point, int atoms, double *force, double *torque);

#endif
