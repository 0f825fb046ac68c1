/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corners (Smith and Brady 1997, section 5): where the USAN is smaller than half of the mask there
 * may be a corner. To be one, the USAN's centre of gravity must lie away from the nucleus, and the
 * pixels on the line from the nucleus through it must all belong to the USAN: noise and thin lines
 * fail in this. Of candidates close to each other, only the strongest is kept.
 */
#include "susan.h"

#include <stdlib.h>

#define APART 3                    /* no two corners within so many pixels in x and y */
#define SIMILAR (FULLY_SIMILAR / 2)

struct finder {
    const struct image *image;
    struct similarity similarity;
    struct mask mask;
    int geometric;                 /* area from which there is no corner */
    int *response;
    long candidates;
};

/* The area, or the threshold as soon as it is reached: most pixels are no corners. */
static int limited_area(const struct finder *finder, const unsigned char *nucleus,
                        const unsigned char *similar)
{
    int area = 0;

    for (int i = 0; i < finder->mask.count && area < finder->geometric; i++)
        area += similar[nucleus[finder->mask.pixel[i].step]];
    return area < finder->geometric ? area : finder->geometric;
}

static void gravity(const struct finder *finder, const unsigned char *nucleus, const unsigned char *similar,
                    long *x, long *y)
{
    *x = *y = 0;
    for (int i = 0; i < finder->mask.count; i++) {
        const struct offset *offset = &finder->mask.pixel[i];

        *x += similar[nucleus[offset->step]] * offset->dx;
        *y += similar[nucleus[offset->step]] * offset->dy;
    }
}

static int is_in_mask(const struct mask *mask, int dx, int dy)
{
    for (int i = 0; i < mask->count; i++) {
        if (mask->pixel[i].dx == dx && mask->pixel[i].dy == dy)
            return 1;
    }
    return 0;
}

/* a / b to the nearest integer, halves away from zero; b > 0. */
static int rounded(long a, long b)
{
    return (int)(a < 0 ? -((-2 * a + b) / (2 * b)) : (2 * a + b) / (2 * b));
}

/* Are the mask's pixels from the nucleus in the direction (x, y) all similar to it? */
static int is_contiguous(const struct finder *finder, const unsigned char *nucleus,
                         const unsigned char *similar, long x, long y)
{
    long longest = labs(x) > labs(y) ? labs(x) : labs(y);

    for (int i = 1; i <= finder->mask.radius; i++) {
        int dx = rounded(i * x, longest), dy = rounded(i * y, longest);

        if (!is_in_mask(&finder->mask, dx, dy))
            break;
        if (similar[nucleus[dy * finder->image->width + dx]] < SIMILAR)
            return 0;
    }
    return 1;
}

static void respond(struct finder *finder, int column, int row)
{
    long at = (long)row * finder->image->width + column;
    const unsigned char *nucleus = finder->image->pixel + at;
    const unsigned char *similar = finder->similarity.of + BRIGHTEST - *nucleus;
    int area = limited_area(finder, nucleus, similar);
    long x, y;

    if (area == finder->geometric)
        return;
    finder->candidates++;
    gravity(finder, nucleus, similar, &x, &y);
    if (x * x + y * y <= (long)area * area)
        return;                    /* the centre of gravity is within a pixel of the nucleus */
    if (is_contiguous(finder, nucleus, similar, x, y))
        finder->response[at] = finder->geometric - area;
}

/* The largest response of a square around it; of equals the first in reading order. */
static int is_maximum(const struct finder *finder, int column, int row)
{
    const struct image *image = finder->image;
    int response = finder->response[(long)row * image->width + column];

    for (int y = row - APART; y <= row + APART; y++) {
        for (int x = column - APART; x <= column + APART; x++) {
            int other = finder->response[(long)y * image->width + x];

            if (other > response)
                return 0;
            if (other == response && (y < row || (y == row && x < column)))
                return 0;
        }
    }
    return 1;
}

static void add_corner(struct corners *corners, const struct finder *finder, int x, int y)
{
    long at = (long)y * finder->image->width + x;
    const unsigned char *nucleus = finder->image->pixel + at;
    long gravity_x, gravity_y, area = finder->geometric - finder->response[at];
    struct corner *corner;

    if ((corners->count & (corners->count - 1)) == 0) {
        size_t room = corners->count > 0 ? 2 * (size_t)corners->count : 1;

        corners->item = realloc(corners->item, room * sizeof *corners->item);
        if (corners->item == NULL)
            fail("out of memory");
    }
    gravity(finder, nucleus, finder->similarity.of + BRIGHTEST - *nucleus, &gravity_x, &gravity_y);
    corner = &corners->item[corners->count++];
    corner->x = x;
    corner->y = y;
    corner->response = finder->response[at];
    corner->brightness = *nucleus;
    corner->gravity_x = rounded(100 * gravity_x, area);
    corner->gravity_y = rounded(100 * gravity_y, area);
}

void find_corners(const struct image *image, int threshold, struct corners *corners)
{
    struct finder finder = {.image = image};
    int border = MASK_RADIUS;

    set_similarity(&finder.similarity, threshold, 6);
    set_mask(&finder.mask, image->width, 0);
    finder.geometric = finder.mask.count * FULLY_SIMILAR / 2;
    finder.response = allocate((long)image->width * image->height, sizeof *finder.response);
    for (int y = border; y < image->height - border; y++) {
        for (int x = border; x < image->width - border; x++)
            respond(&finder, x, y);
    }
    corners->item = NULL;
    corners->count = 0;
    for (int y = border; y < image->height - border; y++) {
        for (int x = border; x < image->width - border; x++) {
            if (finder.response[(long)y * image->width + x] > 0 && is_maximum(&finder, x, y))
                add_corner(corners, &finder, x, y);
        }
    }
    corners->candidates = finder.candidates;
    free(finder.response);
}

void free_corners(struct corners *corners)
{
    free(corners->item);
}
