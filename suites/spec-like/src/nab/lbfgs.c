/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method of Broyden, Fletcher, Goldfarb and Shanno with a short memory: D. C. Liu and
 * J. Nocedal, Mathematical Programming 45, 1989.
 */
#include "nab.h"

#include <math.h>
#include <stdlib.h>

#define MEMORY 8
#define FIRST_WAY 0.05 /* Angstrom that the coordinate with the largest slope moves */
#define BEND 0.9

/* The last changes of the coordinates and of the gradient, in a ring. */
struct memory {
    int count, next, used;
    double *step[MEMORY], *change[MEMORY];
    double inverse[MEMORY]; /* 1 / (step . change) */
};

static void new_memory(struct memory *memory, int count)
{
    memory->count = count;
    memory->next = memory->used = 0;
    for (int i = 0; i < MEMORY; i++) {
        memory->step[i] = allocate(count, sizeof *memory->step[i]);
        memory->change[i] = allocate(count, sizeof *memory->change[i]);
    }
}

static void free_memory(struct memory *memory)
{
    for (int i = 0; i < MEMORY; i++) {
        free(memory->step[i]);
        free(memory->change[i]);
    }
}

/* Where both have been is remembered only if the energy bends upward there. */
static void remember(struct memory *memory, const struct point *from, const struct point *to)
{
    double *step = memory->step[memory->next], *change = memory->change[memory->next], bend;

    for (int i = 0; i < memory->count; i++) {
        step[i] = to->x[i] - from->x[i];
        change[i] = to->gradient[i] - from->gradient[i];
    }
    bend = product(step, change, memory->count);
    if (!(bend > 1e-10 * product(change, change, memory->count)))
        return;
    memory->inverse[memory->next] = 1.0 / bend;
    memory->next = (memory->next + 1) % MEMORY;
    if (memory->used < MEMORY)
        memory->used++;
}

static void add(double *to, double factor, const double *what, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += factor * what[i];
}

/* The two loops over the memory: the direction is minus the approximate inverse Hessian times the gradient. */
static void find_direction(const struct memory *memory, const double *gradient, double *direction)
{
    double weight[MEMORY];
    int count = memory->count;

    for (int i = 0; i < count; i++)
        direction[i] = -gradient[i];
    for (int back = 1; back <= memory->used; back++) {
        int i = (memory->next - back + MEMORY) % MEMORY;

        weight[i] = memory->inverse[i] * product(memory->step[i], direction, count);
        add(direction, -weight[i], memory->change[i], count);
    }
    if (memory->used > 0) {
        int last = (memory->next - 1 + MEMORY) % MEMORY;
        double scale = 1.0 / (memory->inverse[last] * product(memory->change[last], memory->change[last], count));

        for (int i = 0; i < count; i++)
            direction[i] *= scale;
    }
    for (int back = memory->used; back > 0; back--) {
        int i = (memory->next - back + MEMORY) % MEMORY;
        double other = memory->inverse[i] * product(memory->change[i], direction, count);

        add(direction, weight[i] - other, memory->step[i], count);
    }
}

int minimise_lbfgs(struct model *model, struct point *point, int iterations, double enough, watch_function *watch)
{
    int atoms = model->molecule->atoms, count = 3 * atoms, done = 0;
    double *direction = allocate(count, sizeof *direction), taken;
    struct memory memory;
    struct point before;

    new_memory(&memory, count);
    new_point(&before, atoms);
    while (done < iterations && sqrt(product(point->gradient, point->gradient, count) / count) > enough) {
        find_direction(&memory, point->gradient, direction);
        copy_point(&before, point, atoms);
        if (!line_search(model, point, direction, memory.used > 0 ? 1.0 : FIRST_WAY / largest(direction, count), BEND,
                         &taken)) {
            if (memory.used == 0)
                break;
            memory.used = 0; /* begin anew, down the gradient */
            continue;
        }
        remember(&memory, &before, point);
        done++;
        watch(done, point, atoms);
    }
    free_memory(&memory);
    free_point(&before);
    free(direction);
    return done;
}
