/* SPDX-License-Identifier: Apache-2.0 */
/* Grey images as binary PGM files (P5, one byte a pixel). */
#include "susan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SIDE 8192

/* The next number of the header; comments run from '#' to the end of a line. */
static int header_number(FILE *file, const char *path, int largest)
{
    int value = 0, c = getc(file);

    while (isspace(c) || c == '#') {
        if (c == '#') {
            while (c != '\n' && c != EOF)
                c = getc(file);
        } else {
            c = getc(file);
        }
    }
    if (!isdigit(c))
        fail("%s: the header is broken", path);
    for (; isdigit(c); c = getc(file)) {
        value = value * 10 + (c - '0');
        if (value > largest)
            fail("%s: a number of the header is above %d", path, largest);
    }
    if (!isspace(c))
        fail("%s: the header is broken", path);
    return value;
}

void new_image(struct image *image, int width, int height)
{
    image->width = width;
    image->height = height;
    image->pixel = allocate((long)width * height, 1);
}

void free_image(struct image *image)
{
    free(image->pixel);
}

void read_pgm(struct image *image, const char *path)
{
    FILE *file = fopen(path, "rb");
    int width, height, maximum;
    size_t size;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    if (getc(file) != 'P' || getc(file) != '5')
        fail("%s is not a binary PGM file", path);
    width = header_number(file, path, LARGEST_SIDE);
    height = header_number(file, path, LARGEST_SIDE);
    maximum = header_number(file, path, BRIGHTEST);
    if (width < 2 * MASK_RADIUS + 1 || height < 2 * MASK_RADIUS + 1 || maximum == 0)
        fail("%s: the image is too small", path);
    new_image(image, width, height);
    size = (size_t)width * (size_t)height;
    if (fread(image->pixel, 1, size, file) != size)
        fail("%s ends too early", path);
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        if (image->pixel[i] > maximum)
            fail("%s: a pixel is above the maximum of %d", path, maximum);
        image->pixel[i] = (unsigned char)((image->pixel[i] * BRIGHTEST + maximum / 2) / maximum);
    }
}

void write_pgm(const struct image *image, const char *path)
{
    FILE *file = fopen(path, "wb");
    size_t size = (size_t)image->width * (size_t)image->height;

    if (file == NULL)
        fail("cannot create %s: %s", path, strerror(errno));
    fprintf(file, "P5\n%d %d\n%d\n", image->width, image->height, BRIGHTEST);
    if (fwrite(image->pixel, 1, size, file) != size || fclose(file) != 0)
        fail("cannot write %s", path);
}
