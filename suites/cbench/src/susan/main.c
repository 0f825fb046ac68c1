/* SPDX-License-Identifier: Apache-2.0 */
/*
 * susan: smooths a grey image, or finds its edges or corners, by the SUSAN principle (Smith and
 * Brady 1997; see susan.h). Reads and writes binary PGM files.
 */
#include "susan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mode { NO_MODE, SMOOTHING, EDGES, CORNERS };

struct options {
    enum mode mode;
    int threshold;
    double distance;
    int small;             /* the mask of 3 by 3 pixels */
    int raw;               /* write responses, not what is left after suppression and thinning */
    int overlay;           /* draw edges into the image */
    const char *input;
    const char *output;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("susan: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(long count, int size)
{
    void *memory = calloc((size_t)count, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: susan -s|-e|-c [-t THRESHOLD] [-d DISTANCE] [-3] [-r] [-b] INPUT.pgm OUTPUT.pgm\n"
         "  -s -e -c      smooth, find edges, find corners\n"
         "  -t THRESHOLD  difference of brightness that matters, 1 to 255 (20)\n"
         "  -d DISTANCE   reach of smoothing in pixels, above 0 and below 10 (2)\n"
         "  -3            the mask of 3 by 3 pixels; with -s or -e\n"
         "  -r            write the edges' responses, neither suppressed nor thinned\n"
         "  -b            draw the edges into the image",
         complaint);
}

static const char *value_of(int argc, char **argv, int *index)
{
    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    return argv[++*index];
}

static void read_options(struct options *options, int argc, char **argv)
{
    char *end = "";

    memset(options, 0, sizeof *options);
    options->threshold = 20;
    options->distance = 2.0;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        enum mode mode = NO_MODE;

        if (argument[0] != '-') {
            if (options->output != NULL)
                usage("more than two files");
            *(options->input == NULL ? &options->input : &options->output) = argument;
            continue;
        }
        if (argument[1] == '\0' || argument[2] != '\0')
            usage("unknown option");
        switch (argument[1]) {
        case 's':
            mode = SMOOTHING;
            break;
        case 'e':
            mode = EDGES;
            break;
        case 'c':
            mode = CORNERS;
            break;
        case 't':
            options->threshold = (int)strtol(value_of(argc, argv, &i), &end, 10);
            break;
        case 'd':
            options->distance = strtod(value_of(argc, argv, &i), &end);
            break;
        case '3':
            options->small = 1;
            break;
        case 'r':
            options->raw = 1;
            break;
        case 'b':
            options->overlay = 1;
            break;
        default:
            usage("unknown option");
        }
        if (*end != '\0')
            usage("an option's number is broken");
        if (mode != NO_MODE && options->mode != NO_MODE)
            usage("one of -s, -e and -c only");
        if (mode != NO_MODE)
            options->mode = mode;
    }
    if (options->mode == NO_MODE)
        usage("one of -s, -e and -c is needed");
    if (options->output == NULL)
        usage("two files are needed");
    if (options->threshold < 1 || options->threshold > BRIGHTEST)
        usage("the threshold is not between 1 and 255");
    if (!(options->distance > 0.0 && options->distance < 10.0))
        usage("the distance is not above 0 and below 10");
    if (options->small && options->mode == CORNERS)
        usage("corners need the large mask");
    if ((options->raw || options->overlay) && options->mode != EDGES)
        usage("-r and -b are for edges");
}

/* The mean and the variance of the brightness, in hundredths. */
static void print_brightness(const char *name, const struct image *image)
{
    int64_t size = (int64_t)image->width * image->height, sum = 0, squares = 0;

    for (int64_t i = 0; i < size; i++) {
        sum += image->pixel[i];
        squares += image->pixel[i] * image->pixel[i];
    }
    printf("%s: mean %" PRId64 ", variance %" PRId64 " in hundredths\n", name, 100 * sum / size,
           100 * (squares * size - sum * sum) / (size * size));
}

static void do_smoothing(const struct options *options, const struct image *image, struct image *result)
{
    long changed = 0, medians;

    medians = smooth(image, result, options->threshold, options->distance, options->small);
    for (long i = 0; i < (long)image->width * image->height; i++)
        changed += result->pixel[i] != image->pixel[i];
    print_brightness("before", image);
    print_brightness("after", result);
    printf("changed: %ld pixels, %ld by the median\n", changed, medians);
}

static void print_directions(const struct image *image, const struct edges *edges)
{
    static const char *const name[DIRECTIONS] = {"none", "horizontal", "rising", "vertical", "falling"};
    long count[DIRECTIONS] = {0};

    for (long i = 0; i < (long)image->width * image->height; i++) {
        if (edges->marked[i])
            count[edges->direction[i]]++;
    }
    printf("directions:");
    for (int i = HORIZONTAL; i < DIRECTIONS; i++)
        printf(" %s %ld", name[i], count[i]);
    putchar('\n');
}

/* Responses as brightness, the largest white. */
static void draw_responses(const struct edges *edges, struct image *result)
{
    long size = (long)result->width * result->height;
    int largest = 1;

    for (long i = 0; i < size; i++) {
        if (edges->response[i] > largest)
            largest = edges->response[i];
    }
    for (long i = 0; i < size; i++)
        result->pixel[i] = (unsigned char)(edges->response[i] * BRIGHTEST / largest);
    printf("largest response: %d\n", largest);
}

/* Edges white on black, or black with a white neighbourhood in the image. */
static void draw_edges(const struct image *image, const struct edges *edges, int overlay,
                       struct image *result)
{
    long size = (long)image->width * image->height, count = 0;

    if (overlay) {
        memcpy(result->pixel, image->pixel, (size_t)size);
        for (long i = 0; i < size; i++) {
            for (int dx = -1; edges->marked[i] && dx <= 1; dx++) {
                result->pixel[i - image->width + dx] = BRIGHTEST;
                result->pixel[i + dx] = BRIGHTEST;
                result->pixel[i + image->width + dx] = BRIGHTEST;
            }
        }
    }
    for (long i = 0; i < size; i++) {
        if (edges->marked[i]) {
            count++;
            result->pixel[i] = overlay ? 0 : BRIGHTEST;
        }
    }
    printf("edges: %ld pixels\n", count);
}

static void do_edges(const struct options *options, const struct image *image, struct image *result)
{
    struct edges edges;

    find_edges(image, options->threshold, options->small, &edges);
    printf("responses: %ld by gravity, %ld by moments\n", edges.by_gravity, edges.by_moments);
    new_image(result, image->width, image->height);
    if (options->raw) {
        draw_responses(&edges, result);
    } else {
        int maxima = suppress_non_maxima(image, &edges);
        struct thinning thinning = thin(image, &edges);

        printf("maxima: %d\n", maxima);
        printf("thinning: %d removed, %d moved, %d filled, %d passes\n", thinning.removed, thinning.moved,
               thinning.filled, thinning.passes);
        print_directions(image, &edges);
        draw_edges(image, &edges, options->overlay, result);
    }
    free_edges(&edges);
}

/* The image, with a black dot in a white square on each corner. */
static void do_corners(const struct options *options, const struct image *image, struct image *result)
{
    struct corners corners;

    find_corners(image, options->threshold, &corners);
    new_image(result, image->width, image->height);
    memcpy(result->pixel, image->pixel, (size_t)image->width * (size_t)image->height);
    printf("corners: %d of %ld candidates\n", corners.count, corners.candidates);
    for (int i = 0; i < corners.count; i++) {
        const struct corner *corner = &corners.item[i];
        unsigned char *centre = result->pixel + (long)corner->y * image->width + corner->x;

        printf("%d,%d response %d brightness %d usan at %d,%d\n", corner->x, corner->y, corner->response,
               corner->brightness, corner->gravity_x, corner->gravity_y);
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++)
                centre[dy * image->width + dx] = BRIGHTEST;
        }
        *centre = 0;
    }
    free_corners(&corners);
}

static void print_checksum(const struct image *image)
{
    uint64_t checksum = 0xcbf29ce484222325;

    for (long i = 0; i < (long)image->width * image->height; i++)
        checksum = (checksum ^ image->pixel[i]) * 0x100000001b3;
    printf("checksum %016" PRIx64 "\n", checksum);
}

int main(int argc, char **argv)
{
    struct options options;
    struct image image, result;

    read_options(&options, argc, argv);
    read_pgm(&image, options.input);
    printf("image: %d by %d, threshold %d\n", image.width, image.height, options.threshold);
    if (options.mode == SMOOTHING)
        do_smoothing(&options, &image, &result);
    else if (options.mode == EDGES)
        do_edges(&options, &image, &result);
    else
        do_corners(&options, &image, &result);
    print_checksum(&result);
    write_pgm(&result, options.output);
    free_image(&image);
    free_image(&result);
    return 0;
}
