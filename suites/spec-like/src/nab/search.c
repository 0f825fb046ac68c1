/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step along a line to where the strong conditions of Wolfe hold: algorithms 3.5 and 3.6 of
 * J. Nocedal and S. J. Wright, Numerical Optimization, 2nd edition, 2006.
 */
#include "nab.h"

#include <math.h>

#define MOST_TRIALS 20
#define LONGEST_WAY 0.5   /* Angstrom that a coordinate moves */
#define DECREASE 1e-4     /* of what the slope promises */
#define GROWTH 3.0
#define MARGIN 0.1        /* trials stay away from the ends of an interval */

/* The energy and its slope at a distance along the line. */
struct sample {
    double way, energy, slope;
};

/* Where the cubic through two samples is least, or the middle where that is nowhere between them. */
static double least_between(const struct sample *a, const struct sample *b)
{
    double width = b->way - a->way;
    double bend = a->slope + b->slope - 3.0 * (a->energy - b->energy) / (a->way - b->way);
    double square = bend * bend - a->slope * b->slope;
    double root, part;

    if (!(square >= 0.0) || !isfinite(b->energy) || !isfinite(b->slope))
        return a->way + 0.5 * width;
    root = width > 0.0 ? sqrt(square) : -sqrt(square);
    part = 1.0 - (b->slope + root - bend) / (b->slope - a->slope + 2.0 * root);
    if (!(part >= MARGIN))
        part = MARGIN;
    if (part > 1.0 - MARGIN)
        part = 1.0 - MARGIN;
    return a->way + part * width;
}

static void try_way(struct model *model, const struct point *start, struct point *trial, const double *direction,
                    struct sample *sample)
{
    int count = 3 * model->molecule->atoms;

    for (int i = 0; i < count; i++)
        trial->x[i] = start->x[i] + sample->way * direction[i];
    evaluate(model, trial);
    sample->energy = trial->energy;
    sample->slope = product(trial->gradient, direction, count);
}

/*
 * Move the point along the direction; guess is the distance to try first, bend the part of the
 * slope that may be left. Returns 0 where nothing lower was found; the point then stays.
 */
int line_search(struct model *model, struct point *point, const double *direction, double guess, double bend,
                double *taken)
{
    int atoms = model->molecule->atoms, bracketed = 0;
    double farthest = LONGEST_WAY / largest(direction, 3 * atoms);
    struct sample start = {0.0, point->energy, product(point->gradient, direction, 3 * atoms)};
    struct sample low = start, high = start;
    struct sample now = {guess < farthest ? guess : farthest, 0.0, 0.0};
    struct point best, trial;

    if (!(start.slope < 0.0))
        return 0;
    new_point(&best, atoms);
    new_point(&trial, atoms);
    for (int i = 0; i < MOST_TRIALS; i++) {
        try_way(model, point, &trial, direction, &now);
        if (!(now.energy <= start.energy + DECREASE * now.way * start.slope) ||
            (low.way > 0.0 && now.energy >= low.energy)) {
            high = now;
            bracketed = 1;
        } else {
            copy_point(&best, &trial, atoms);
            if (fabs(now.slope) <= -bend * start.slope || (!bracketed && now.slope < 0.0 && now.way >= farthest)) {
                low = now;
                break;
            }
            if (bracketed ? now.slope * (high.way - low.way) >= 0.0 : now.slope >= 0.0) {
                high = low;
                bracketed = 1;
            }
            low = now;
        }
        if (bracketed)
            now.way = least_between(&low, &high);
        else
            now.way = GROWTH * now.way < farthest ? GROWTH * now.way : farthest;
    }
    if (low.way > 0.0)
        copy_point(point, &best, atoms);
    free_point(&best);
    free_point(&trial);
    *taken = low.way;
    return low.way > 0.0;
}
