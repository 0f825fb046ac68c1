/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Low-level image processing by the SUSAN principle: S. M. Smith and J. M. Brady, "SUSAN - A new
 * approach to low level image processing", International Journal of Computer Vision 23(1), 1997.
 *
 * A mask is laid around each pixel, its nucleus. The part of the mask whose brightness is similar
 * to the nucleus' is the USAN ("univalue segment assimilating nucleus"). Its area is largest in
 * flat parts, half the mask at a straight edge, less at a corner; its centre of gravity and second
 * moments tell which way an edge runs.
 */
#ifndef SUSAN_H
#define SUSAN_H

#include <stdint.h>

#define FULLY_SIMILAR 100          /* what a pixel of the nucleus' brightness adds to the area */
#define MASK_RADIUS 3
#define MOST_MASK_PIXELS 37
#define BRIGHTEST 255

struct image {
    int width, height;
    unsigned char *pixel;          /* rows from the top */
};

/* For each difference of brightness, -255 to 255, how similar two pixels are. */
struct similarity {
    unsigned char of[2 * BRIGHTEST + 1];
};

/* A pixel of a mask, seen from the nucleus. */
struct offset {
    int dx, dy;
    int step;                      /* dy * width + dx, for one image */
};

struct mask {
    int count;
    int radius;
    struct offset pixel[MOST_MASK_PIXELS];
};

/* The line that an edge runs along. */
enum direction { NO_DIRECTION, HORIZONTAL, RISING, VERTICAL, FALLING, DIRECTIONS };

struct edges {
    int *response;                 /* how much smaller the USAN is than the threshold, or 0 */
    unsigned char *direction;      /* enum direction */
    unsigned char *marked;         /* 1 on the edge */
    long by_gravity;               /* directions that the centre of gravity gave */
    long by_moments;               /* directions that the second moments gave */
};

struct corner {
    int x, y;
    int response;
    int brightness;
    int gravity_x, gravity_y;      /* where the USAN lies, in hundredths of a pixel */
};

struct corners {
    struct corner *item;
    int count;
    long candidates;               /* pixels with a small USAN */
};

/* main.c */
_Noreturn void fail(const char *format, ...);
void *allocate(long count, int size);

/* pgm.c */
void read_pgm(struct image *image, const char *path);
void write_pgm(const struct image *image, const char *path);
void new_image(struct image *image, int width, int height);
void free_image(struct image *image);

/* brightness.c */
double exp_of_minus(double x);
void set_similarity(struct similarity *similarity, int threshold, int power);
void set_mask(struct mask *mask, int width, int small);

/* smooth.c */
long smooth(const struct image *image, struct image *result, int threshold, double distance, int small);

/* edges.c */
void find_edges(const struct image *image, int threshold, int small, struct edges *edges);
int suppress_non_maxima(const struct image *image, struct edges *edges);
void free_edges(struct edges *edges);

/* thin.c */
struct thinning {
    int removed, moved, filled, passes;
};
struct thinning thin(const struct image *image, struct edges *edges);

/* corners.c */
void find_corners(const struct image *image, int threshold, struct corners *corners);
void free_corners(struct corners *corners);

#endif
