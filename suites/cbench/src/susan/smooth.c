/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smoothing that keeps structure (Smith and Brady 1997, section 6): each pixel becomes a mean of
 * its surroundings, weighted by distance (a Gaussian) and by similarity of brightness. The pixel
 * itself does not count, so that single bright or dark spots vanish; where nothing is similar, the
 * median of the eight neighbours stands in.
 */
#include "susan.h"

#include <stdlib.h>
#include <string.h>

#define WIDEST 15
#define FULL_WEIGHT 100

/* Weights of a square of pixels around the nucleus. */
struct kernel {
    int radius;
    int weight[(2 * WIDEST + 1) * (2 * WIDEST + 1)];
};

static void set_kernel(struct kernel *kernel, double distance, int small)
{
    int *weight = kernel->weight;

    kernel->radius = small ? 1 : (int)(1.5 * distance) + 1;
    if (kernel->radius > WIDEST)
        fail("a distance of %d pixels or more is too large", WIDEST * 2 / 3);
    for (int dy = -kernel->radius; dy <= kernel->radius; dy++) {
        for (int dx = -kernel->radius; dx <= kernel->radius; dx++) {
            double squared = (double)(dx * dx + dy * dy);

            if (small)
                *weight++ = FULL_WEIGHT;
            else
                *weight++ = (int)(FULL_WEIGHT * exp_of_minus(squared / (2.0 * distance * distance)) + 0.5);
        }
    }
}

/* A copy with `border` more pixels on each side, mirrored at the outermost pixels. */
static void enlarge(const struct image *image, struct image *larger, int border)
{
    new_image(larger, image->width + 2 * border, image->height + 2 * border);
    for (int y = 0; y < larger->height; y++) {
        int from = y - border;
        unsigned char *row = larger->pixel + (long)y * larger->width;

        if (from < 0)
            from = -from;
        if (from >= image->height)
            from = 2 * image->height - 2 - from;
        memcpy(row + border, image->pixel + (long)from * image->width, (size_t)image->width);
        for (int x = 0; x < border; x++) {
            row[border - 1 - x] = row[border + 1 + x];
            row[border + image->width + x] = row[border + image->width - 2 - x];
        }
    }
}

/* The mean of the fourth and fifth of the eight neighbours in order of brightness. */
static unsigned char median_of_neighbours(const unsigned char *nucleus, int width)
{
    int sorted[8], count = 0;

    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int value = nucleus[dy * width + dx], at = count;

            if (dx == 0 && dy == 0)
                continue;
            for (; at > 0 && sorted[at - 1] > value; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = value;
            count++;
        }
    }
    return (unsigned char)((sorted[3] + sorted[4]) / 2);
}

/* Smooth an image into a new one; returns for how many pixels the median stood in. */
long smooth(const struct image *image, struct image *result, int threshold, double distance, int small)
{
    struct similarity similarity;
    struct kernel kernel;
    struct image larger;
    long medians = 0;

    set_similarity(&similarity, threshold, 2);
    set_kernel(&kernel, distance, small);
    if (kernel.radius >= image->width || kernel.radius >= image->height)
        fail("the image is too small for this distance");
    enlarge(image, &larger, kernel.radius);
    new_image(result, image->width, image->height);
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const unsigned char *corner = larger.pixel + (long)y * larger.width + x;
            const unsigned char *nucleus = corner + (long)kernel.radius * larger.width + kernel.radius;
            const unsigned char *similar = similarity.of + BRIGHTEST - *nucleus;
            const int *weight = kernel.weight;
            int64_t total = 0, area = 0;
            int own = FULL_WEIGHT * FULLY_SIMILAR;

            for (int dy = 0; dy <= 2 * kernel.radius; dy++, corner += larger.width) {
                for (int dx = 0; dx <= 2 * kernel.radius; dx++) {
                    int factor = *weight++ * similar[corner[dx]];

                    area += factor;
                    total += (int64_t)factor * corner[dx];
                }
            }
            area -= own;
            total -= (int64_t)own * *nucleus;
            if (area == 0) {
                medians++;
                result->pixel[(long)y * image->width + x] = median_of_neighbours(nucleus, larger.width);
            } else {
                result->pixel[(long)y * image->width + x] = (unsigned char)((total + area / 2) / area);
            }
        }
    }
    free_image(&larger);
    return medians;
}
