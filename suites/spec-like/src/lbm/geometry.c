/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads where the obstacles are. The file begins with "porous NX NY NZ"; then come NZ planes of NY
 * rows of NX characters, '.' for fluid and '#' for solid.
 */
#include "lbm.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_SIDE 512
#define MOST_CELLS 1000000

static int next_character(FILE *file)
{
    int c = getc(file);

    while (isspace(c))
        c = getc(file);
    return c;
}

static int next_side(FILE *file, const char *path)
{
    int c = next_character(file), value = 0;

    while (isdigit(c)) {
        value = value * 10 + (c - '0');
        if (value > LONGEST_SIDE)
            fail("%s: a side is above %d", path, LONGEST_SIDE);
        c = getc(file);
    }
    if (value == 0 || !isspace(c))
        fail("%s: a side is not a number from 1 to %d", path, LONGEST_SIDE);
    return value;
}

static void read_header(struct grid *grid, FILE *file, const char *path)
{
    static const char word[] = "porous";

    for (int i = 0; word[i] != '\0'; i++)
        if (getc(file) != word[i])
            fail("%s does not begin with \"%s\"", path, word);
    grid->cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        grid->size[axis] = next_side(file, path);
        grid->stride[axis] = grid->cells;
        grid->cells *= grid->size[axis] + 2;
    }
    if (grid->cells > MOST_CELLS)
        fail("%s: the region has more than %d cells", path, MOST_CELLS);
}

static long cell_at(const struct grid *grid, int x, int y, int z)
{
    return x + y * grid->stride[1] + z * grid->stride[2];
}

static void read_cells(struct grid *grid, FILE *file, const char *path)
{
    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            for (int x = 1; x <= grid->size[0]; x++) {
                int c = next_character(file);

                if (c != '.' && c != '#')
                    fail("%s: cell %d of row %d of plane %d is neither '.' nor '#'", path, x, y, z);
                grid->kind[cell_at(grid, x, y, z)] = c == '.' ? BULK : SOLID;
                grid->fluid += c == '.';
            }
        }
    }
    if (next_character(file) != EOF)
        fail("%s: there is more after the last plane", path);
    if (grid->fluid == 0)
        fail("%s: there is no room for fluid", path);
}

/* Outside a wall there is the wall; elsewhere there is what is inside at the other end. */
static unsigned char kind_outside(const struct grid *grid, const int place[3])
{
    long cell = 0;

    if (!grid->periodic[2] && place[2] == grid->size[2] + 1)
        return LID;
    for (int axis = 0; axis < 3; axis++) {
        int i = place[axis], size = grid->size[axis];

        if (i == 0 || i == size + 1) {
            if (!grid->periodic[axis])
                return SOLID;
            i = i == 0 ? size : 1;
        }
        cell += i * grid->stride[axis];
    }
    return grid->kind[cell];
}

static void fill_ghosts(struct grid *grid)
{
    int place[3];

    for (place[2] = 0; place[2] < grid->size[2] + 2; place[2]++) {
        for (place[1] = 0; place[1] < grid->size[1] + 2; place[1]++) {
            for (place[0] = 0; place[0] < grid->size[0] + 2; place[0]++) {
                int outside = 0;

                for (int axis = 0; axis < 3; axis++)
                    outside |= place[axis] == 0 || place[axis] == grid->size[axis] + 1;
                if (outside)
                    grid->kind[cell_at(grid, place[0], place[1], place[2])] = kind_outside(grid, place);
            }
        }
    }
}

static void mark_edges(struct grid *grid)
{
    for (int z = 1; z <= grid->size[2]; z++) {
        for (int y = 1; y <= grid->size[1]; y++) {
            for (int x = 1; x <= grid->size[0]; x++) {
                long cell = cell_at(grid, x, y, z);
                int walls = 0;

                if (grid->kind[cell] < BULK)
                    continue;
                for (int q = 1; q < Q; q++)
                    walls += grid->kind[cell + grid->offset[q]] < BULK;
                if (walls > 0) {
                    grid->kind[cell] = EDGE;
                    grid->edges++;
                }
            }
        }
    }
}

void read_geometry(struct grid *grid, const char *path, enum walls walls)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    memset(grid, 0, sizeof *grid);
    for (int axis = 0; axis < 3; axis++)
        grid->periodic[axis] = walls == PERIODIC || (walls == CHANNEL && axis < 2);
    read_header(grid, file, path);
    grid->kind = allocate(grid->cells, sizeof *grid->kind);
    read_cells(grid, file, path);
    fclose(file);
    for (int q = 0; q < Q; q++)
        for (int axis = 0; axis < 3; axis++)
            grid->offset[q] += VELOCITY[q][axis] * grid->stride[axis];
    fill_ghosts(grid);
    mark_edges(grid);
}
