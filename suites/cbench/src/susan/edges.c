/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges (Smith and Brady 1997, section 4): where the USAN is smaller than three quarters of the
 * mask there may be an edge, the smaller the stronger. Of pixels side by side across the edge, only
 * the strongest is kept.
 */
#include "susan.h"

#include <stdlib.h>

/* The USAN of one nucleus, weighted by similarity. */
struct usan {
    int area;
    int gravity_x, gravity_y;      /* first moments: area times the centre of gravity */
    int spread_x, spread_y;        /* second moments */
    int tilt;                      /* mixed second moment */
};

static int usan_area(const unsigned char *nucleus, const struct mask *mask, const unsigned char *similar)
{
    int area = 0;

    for (int i = 0; i < mask->count; i++)
        area += similar[nucleus[mask->pixel[i].step]];
    return area;
}

static void usan_moments(struct usan *usan, const unsigned char *nucleus, const struct mask *mask,
                         const unsigned char *similar)
{
    *usan = (struct usan){0};
    for (int i = 0; i < mask->count; i++) {
        const struct offset *offset = &mask->pixel[i];
        int weight = similar[nucleus[offset->step]];

        usan->area += weight;
        usan->gravity_x += weight * offset->dx;
        usan->gravity_y += weight * offset->dy;
        usan->spread_x += weight * offset->dx * offset->dx;
        usan->spread_y += weight * offset->dy * offset->dy;
        usan->tilt += weight * offset->dx * offset->dy;
    }
}

/*
 * The direction in which a line of slope `down` per `across` runs; the y axis points down. A slope
 * below a half is horizontal, above two vertical, and between them one of the diagonals.
 */
static enum direction direction_of(int across, int down, int rises)
{
    if (2 * down < across)
        return HORIZONTAL;
    if (2 * across < down)
        return VERTICAL;
    return rises ? RISING : FALLING;
}

static enum direction across(enum direction direction)
{
    static const enum direction quarter_turn[DIRECTIONS] = {NO_DIRECTION, VERTICAL, FALLING, HORIZONTAL,
                                                            RISING};

    return quarter_turn[direction];
}

/*
 * Between two pixels an edge leaves a USAN that lies to one side: the edge runs across the line to
 * its centre of gravity. On a pixel, as on a thin line, the USAN is a band around the nucleus: the
 * edge runs the way it is spread out.
 */
static enum direction edge_direction(const struct usan *usan, const struct mask *mask, struct edges *edges)
{
    long x = usan->gravity_x, y = usan->gravity_y, area = usan->area;
    long away = mask->radius;      /* in thirds of a pixel: one pixel in the large mask */
    int diameter = 2 * mask->radius + 1;

    if (area > (long)diameter * FULLY_SIMILAR && 9 * (x * x + y * y) > away * away * area * area) {
        edges->by_gravity++;
        return across(direction_of(abs(usan->gravity_x), abs(usan->gravity_y), (x < 0) != (y < 0)));
    }
    edges->by_moments++;
    if (usan->spread_x == 0 && usan->spread_y == 0)
        return NO_DIRECTION;
    return direction_of(usan->spread_x, usan->spread_y, usan->tilt < 0);
}

/* Respond to the edges of an image, but for a frame as wide as the large mask reaches. */
void find_edges(const struct image *image, int threshold, int small, struct edges *edges)
{
    struct similarity similarity;
    struct mask mask;
    long size = (long)image->width * image->height;
    int geometric;                 /* area from which there is no edge */

    set_similarity(&similarity, threshold, 6);
    set_mask(&mask, image->width, small);
    geometric = 3 * mask.count * FULLY_SIMILAR / 4;
    edges->response = allocate(size, sizeof *edges->response);
    edges->direction = allocate(size, sizeof *edges->direction);
    edges->marked = allocate(size, sizeof *edges->marked);
    edges->by_gravity = edges->by_moments = 0;
    for (int y = MASK_RADIUS; y < image->height - MASK_RADIUS; y++) {
        for (int x = MASK_RADIUS; x < image->width - MASK_RADIUS; x++) {
            long at = (long)y * image->width + x;
            const unsigned char *nucleus = image->pixel + at;
            const unsigned char *similar = similarity.of + BRIGHTEST - *nucleus;
            struct usan usan;
            int area = usan_area(nucleus, &mask, similar);

            if (area >= geometric)
                continue;
            usan_moments(&usan, nucleus, &mask, similar);
            edges->response[at] = geometric - area;
            edges->direction[at] = (unsigned char)edge_direction(&usan, &mask, edges);
        }
    }
}

/* Mark the pixels whose response is the largest across the edge; returns how many. */
int suppress_non_maxima(const struct image *image, struct edges *edges)
{
    int width = image->width, marked = 0;
    const int step[DIRECTIONS] = {
        [HORIZONTAL] = 1, [RISING] = 1 - width, [VERTICAL] = -width, [FALLING] = -1 - width};

    for (int y = MASK_RADIUS; y < image->height - MASK_RADIUS; y++) {
        for (int x = MASK_RADIUS; x < width - MASK_RADIUS; x++) {
            long at = (long)y * width + x;
            int aside = step[across(edges->direction[at])];
            int response = edges->response[at];

            if (response == 0 || aside == 0)
                continue;
            /* Of equals, the one that the step leads to first is kept. */
            if (response >= edges->response[at + aside] && response > edges->response[at - aside]) {
                edges->marked[at] = 1;
                marked++;
            }
        }
    }
    return marked;
}

void free_edges(struct edges *edges)
{
    free(edges->response);
    free(edges->direction);
    free(edges->marked);
}
