/* SPDX-License-Identifier: Apache-2.0 */
/*
 * basicmath: solves cubic equations, takes integer square roots and converts angles, for the
 * numbers in a file. Every answer is checked; the program ends with status 1 if one is wrong.
 */
#include "basicmath.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 1000000, COUNTS = 4 };

struct options {
    int grid;       /* cubics about each one of the file, in two directions */
    int known;      /* cubics of known roots */
    int squares, angles;
    int repeat;
    int verbose;
    const char *path;
};

static uint64_t checksum = 0xcbf29ce484222325;

static void mix(uint64_t value)
{
    checksum = (checksum ^ value) * 0x100000001b3;
    checksum ^= checksum >> 29;
}

static void mix_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix(bits);
}

static _Noreturn void stop(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("basicmath: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

static _Noreturn void usage(const char *complaint)
{
    stop(2, "%s\n"
         "usage: basicmath [-c GRID] [-k] [-s] [-a] [-r TIMES] [-v] FILE\n"
         "  -c GRID   solve GRID x GRID cubics about each four numbers of the file\n"
         "  -k        solve the cubic that has each three numbers as its roots\n"
         "  -s        square roots\n"
         "  -a        angles\n"
         "  -r TIMES  do all that again with the numbers changed\n"
         "  -v        print every result\n"
         "FILE holds integers of 0 to 2147483647, one a line.", complaint);
}

static int number_after(int argc, char **argv, int *index)
{
    char *end;
    long value;

    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    value = strtol(argv[++*index], &end, 10);
    if (*end != '\0' || end == argv[*index] || value < 1 || value > 100000)
        usage("an option's number is not between 1 and 100000");
    return (int)value;
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->repeat = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-c") == 0)
            options->grid = number_after(argc, argv, &i);
        else if (strcmp(argv[i], "-k") == 0)
            options->known = 1;
        else if (strcmp(argv[i], "-s") == 0)
            options->squares = 1;
        else if (strcmp(argv[i], "-a") == 0)
            options->angles = 1;
        else if (strcmp(argv[i], "-r") == 0)
            options->repeat = number_after(argc, argv, &i);
        else if (strcmp(argv[i], "-v") == 0)
            options->verbose = 1;
        else if (argv[i][0] == '-')
            usage("unknown option");
        else if (options->path == NULL)
            options->path = argv[i];
        else
            usage("more than one file");
    }
    if (options->path == NULL)
        usage("no file");
    if (options->grid == 0 && !options->known && !options->squares && !options->angles)
        usage("nothing to do");
}

static size_t read_numbers(const char *path, uint32_t **numbers)
{
    FILE *file = fopen(path, "r");
    size_t count = 0, room = 1024;
    char line[64];

    if (file == NULL)
        stop(2, "cannot open %s: %s", path, strerror(errno));
    *numbers = malloc(room * sizeof **numbers);
    while (*numbers != NULL && fgets(line, sizeof line, file) != NULL) {
        char *end;
        unsigned long value = strtoul(line, &end, 10);
        if (!isdigit((unsigned char)line[0]) || *end != '\n' || value > 0x7fffffff)
            stop(2, "%s: line %zu is not an integer of 0 to 2147483647", path, count + 1);
        if (count == MAX_NUMBERS)
            stop(2, "%s: more than %d numbers", path, MAX_NUMBERS);
        if (count == room) {
            room *= 2;
            *numbers = realloc(*numbers, room * sizeof **numbers);
            if (*numbers == NULL)
                break;
        }
        (*numbers)[count++] = (uint32_t)value;
    }
    if (*numbers == NULL)
        stop(2, "not enough memory");
    if (ferror(file))
        stop(2, "cannot read %s", path);
    fclose(file);
    return count;
}

/* A multiple of 1/64 within +-limit. */
static double coefficient(uint32_t number, int limit)
{
    int span = 2 * limit * 64 + 1;
    return ((int)(number % (uint32_t)span) - limit * 64) / 64.0;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

struct cubics {
    long solved[COUNTS]; /* by the number of roots */
    double sum;          /* of the roots */
    double worst;        /* residual */
};

static void check_cubic(struct cubics *state, const struct cubic *f, const struct roots *roots, int verbose)
{
    double sum = 0.0;

    state->solved[roots->count]++;
    if (verbose)
        printf("cubic %.17g %.17g %.17g %.17g:", f->a, f->b, f->c, f->d);
    for (int i = 0; i < roots->count; i++) {
        double error = residual(f, roots->root[i]);
        if (error > state->worst)
            state->worst = error;
        if (!(error < 1e-9))
            stop(1, "%.17g is not a root of %g %g %g %g", roots->root[i], f->a, f->b, f->c, f->d);
        if (verbose)
            printf(" %.17g", roots->root[i]);
        sum += roots->root[i];
        mix_double(roots->root[i]);
    }
    if (verbose)
        putchar('\n');
    state->sum += sum;
    /* Viete: three roots add up to -b/a */
    if (roots->count == 3 && f->a != 0.0) {
        double expected = -f->b / f->a, size = 1.0 + distance(expected, 0.0);
        for (int i = 0; i < 3; i++)
            size += distance(roots->root[i], 0.0);
        if (distance(sum, expected) > 1e-6 * size)
            stop(1, "the roots of %g %g %g %g do not add up", f->a, f->b, f->c, f->d);
    }
}

static void print_cubics(const char *what, const struct cubics *state)
{
    printf("%s: %ld with no root, %ld with one, %ld with two, %ld with three\n", what, state->solved[0],
           state->solved[1], state->solved[2], state->solved[3]);
    printf("%s: the roots add up to %.10g, largest residual %.2e\n", what, state->sum, state->worst);
}

/* Steps of the constant and of the linear term about each polynomial of the file. */
static void do_cubics(struct cubics *state, const uint32_t *numbers, size_t count, const struct options *options)
{
    for (size_t i = 0; i + 3 < count; i++) {
        struct cubic f = {coefficient(numbers[i], 8), coefficient(numbers[i + 1], 40), 0.0, 0.0};
        double c = coefficient(numbers[i + 2], 60), d = coefficient(numbers[i + 3], 40);

        for (int row = 0; row < options->grid; row++) {
            f.c = c - row * 0.375;
            for (int column = 0; column < options->grid; column++) {
                struct roots roots;
                f.d = d - column * 0.25;
                solve_cubic(&f, &roots);
                check_cubic(state, &f, &roots, options->verbose);
            }
        }
    }
}

/* The roots that are found must be those that the polynomial was made of. */
static void do_known(struct cubics *state, const uint32_t *numbers, size_t count, const struct options *options)
{
    for (size_t i = 0; i + 2 < count; i++) {
        struct cubic f;
        struct roots roots;
        double root[3], gap;
        int first = 0;

        for (int k = 0; k < 3; k++) {
            root[k] = coefficient(numbers[i + (size_t)k], 40);
            for (int j = k; j > 0 && root[j - 1] > root[j]; j--) {
                double swapped = root[j];
                root[j] = root[j - 1];
                root[j - 1] = swapped;
            }
        }
        cubic_of_roots(root, &f);
        solve_cubic(&f, &roots);
        check_cubic(state, &f, &roots, options->verbose);
        gap = root[1] - root[0] < root[2] - root[1] ? root[1] - root[0] : root[2] - root[1];
        /* Rounding may lift two roots that coincide off the axis. */
        if (roots.count != 3 && (roots.count != 1 || gap > 0.0))
            stop(1, "%d roots where there are %g %g %g", roots.count, root[0], root[1], root[2]);
        if (roots.count == 1 && distance(roots.root[0], root[0]) > distance(roots.root[0], root[2]))
            first = 2;
        for (int k = 0; k < roots.count; k++)
            if (distance(roots.root[k], root[first + k]) > (gap >= 0.25 ? 1e-7 : 1e-2))
                stop(1, "found %.17g instead of %g", roots.root[k], root[first + k]);
    }
}

struct squares {
    uint64_t floors, large, fixed; /* sums */
    long exact;
};

static void do_squares(struct squares *state, const uint32_t *numbers, size_t count, int verbose)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t x = numbers[i];
        uint64_t product = (uint64_t)x * numbers[(i + 1) % count] * 2 + i;
        uint64_t floor = square_root_32(x);
        uint64_t large = square_root_64(product);
        uint64_t fixed = square_root_fixed(x);

        if (floor * floor > x || (floor + 1) * (floor + 1) <= x || square_root_64(x) != floor)
            stop(1, "%" PRIu64 " is not the root of %" PRIu32, floor, x);
        if (large * large > product || product - large * large > 2 * large)
            stop(1, "%" PRIu64 " is not the root of %" PRIu64, large, product);
        if (fixed >> 16 != floor || fixed * fixed > (uint64_t)x << 32
            || ((uint64_t)x << 32) - fixed * fixed > 2 * fixed)
            stop(1, "%" PRIu64 "/65536 is not the root of %" PRIu32, fixed, x);
        if (verbose)
            printf("root %" PRIu32 ": %" PRIu64 " %" PRIu64 "; %" PRIu64 ": %" PRIu64 "\n", x, floor, fixed,
                   product, large);
        state->exact += floor * floor == x;
        state->floors += floor;
        state->large += large;
        state->fixed += fixed;
        mix(floor ^ fixed << 16 ^ large << 32);
    }
}

struct angles {
    double sum, worst_turn, worst_circle, worst_split;
    uint32_t binary;
};

static void keep_largest(double *largest, double value)
{
    if (value > *largest)
        *largest = value;
}

static void do_angles(struct angles *state, const uint32_t *numbers, size_t count, int verbose)
{
    for (size_t i = 0; i < count; i++) {
        double degrees = coefficient(numbers[i], 720) + (numbers[i] >> 20) / 40960.0;
        double radians = radians_of_degrees(degrees);
        double s = sine(radians), c = cosine(radians);
        struct sexagesimal split = split_degrees(degrees);
        uint32_t binary = binary_angle(degrees);
        double back = arc_cosine(c);
        double turn = degrees_of_binary(binary);

        keep_largest(&state->worst_turn, distance(degrees_of_radians(radians), degrees));
        keep_largest(&state->worst_circle, distance(s * s + c * c, 1.0));
        keep_largest(&state->worst_split, distance(join_degrees(&split), degrees));
        if (distance(cosine(back), c) > 1e-14 || distance(cosine(radians_of_degrees(turn)), c) > 1e-8)
            stop(1, "an angle of %.17g degrees does not come back", degrees);
        if (verbose)
            printf("angle %.17g: %.17g %.17g %.17g %.17g %s%" PRIu32 ":%" PRIu32 ":%" PRIu32 " %" PRIu32 "\n",
                   degrees, radians, s, c, back, split.negative ? "-" : "", split.degrees, split.minutes,
                   split.hundredths, binary);
        state->sum += s + 2.0 * c;
        state->binary ^= binary + (uint32_t)i;
        mix_double(s);
        mix_double(back);
    }
    if (state->worst_turn > 1e-12 || state->worst_circle > 1e-14 || state->worst_split > 0.51 / 360000.0)
        stop(1, "conversions of angles are not accurate");
}

/* Another set of numbers of the same kind: multiplication by an odd number permutes 0 to 2^31 - 1. */
static void change(uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (numbers[i] * UINT32_C(747796405) + UINT32_C(144665)) & 0x7fffffff;
}

int main(int argc, char **argv)
{
    struct options options;
    struct cubics grid = {{0}, 0.0, 0.0}, known = {{0}, 0.0, 0.0};
    struct squares squares = {0, 0, 0, 0};
    struct angles angles = {0.0, 0.0, 0.0, 0.0, 0};
    uint32_t *numbers;

    read_options(&options, argc, argv);
    size_t count = read_numbers(options.path, &numbers);
    if (count < 4)
        stop(2, "%s: fewer than four numbers", options.path);
    for (int round = 0; round < options.repeat; round++) {
        if (options.grid > 0)
            do_cubics(&grid, numbers, count, &options);
        if (options.known)
            do_known(&known, numbers, count, &options);
        if (options.squares)
            do_squares(&squares, numbers, count, options.verbose);
        if (options.angles)
            do_angles(&angles, numbers, count, options.verbose);
        change(numbers, count);
    }
    printf("%zu numbers, %d rounds\n", count, options.repeat);
    if (options.grid > 0)
        print_cubics("cubics", &grid);
    if (options.known)
        print_cubics("known roots", &known);
    if (options.squares)
        printf("square roots: sums %" PRIu64 ", %" PRIu64 ", %" PRIu64 "/65536; %ld squares\n", squares.floors,
               squares.large, squares.fixed, squares.exact);
    if (options.angles)
        printf("angles: sum %.10g, binary %08" PRIx32 ", largest errors %.2e, %.2e, %.2e\n", angles.sum,
               angles.binary, angles.worst_turn, angles.worst_circle, angles.worst_split);
    printf("checksum %016" PRIx64 "\n", checksum);
    free(numbers);
    return fflush(stdout) != 0;
}
