/* SPDX-License-Identifier: Apache-2.0 */
/* Points in space, three integers a line, and the orders in which they can be sorted. */
#include "items.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FARTHEST 1000000000L

static struct point centre;

static int32_t next_coordinate(char **cursor, const char *path, int number)
{
    char *end;
    long value = strtol(*cursor, &end, 10);

    if (end == *cursor)
        fail("%s:%d: a point is three integers", path, number);
    if (value < -FARTHEST || value > FARTHEST)
        fail("%s:%d: a coordinate is beyond %ld", path, number, FARTHEST);
    *cursor = end;
    return (int32_t)value;
}

void read_points(struct points *points, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[128];
    int number = 0;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    memset(points, 0, sizeof *points);
    while (fgets(line, sizeof line, file) != NULL) {
        char *cursor = line + strspn(line, " \t\r\n");
        struct point *point;

        number++;
        if (*cursor == '\0')
            continue;
        if ((points->count & (points->count - 1)) == 0) {
            size_t room = points->count > 0 ? 2 * (size_t)points->count : 1;

            points->item = realloc(points->item, room * sizeof *points->item);
            if (points->item == NULL)
                fail("out of memory");
        }
        point = &points->item[points->count++];
        point->x = next_coordinate(&cursor, path, number);
        point->y = next_coordinate(&cursor, path, number);
        point->z = next_coordinate(&cursor, path, number);
        cursor += strspn(cursor, " \t\r\n");
        if (*cursor != '\0')
            fail("%s:%d: unexpected '%.10s'", path, number, cursor);
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
}

void set_centre(struct point point)
{
    centre = point;
}

int64_t squared_distance(const struct point *point)
{
    int64_t x = (int64_t)point->x - centre.x;
    int64_t y = (int64_t)point->y - centre.y;
    int64_t z = (int64_t)point->z - centre.z;

    return x * x + y * y + z * z; /* below 3 * (2 * FARTHEST)^2, which 64 bits hold */
}

int by_distance(const void *a, const void *b)
{
    int64_t left = squared_distance(a), right = squared_distance(b);

    comparisons++;
    return (left > right) - (left < right);
}

int by_distance_reversed(const void *a, const void *b)
{
    return by_distance(b, a);
}

int by_coordinates(const void *a, const void *b)
{
    const struct point *left = a, *right = b;

    comparisons++;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    if (left->y != right->y)
        return left->y < right->y ? -1 : 1;
    return (left->z > right->z) - (left->z < right->z);
}

uint64_t hash_point(const struct point *point)
{
    uint64_t hash = (uint32_t)point->x * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ hash >> 29 ^ (uint32_t)point->y) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 31 ^ (uint32_t)point->z) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 32;
}
