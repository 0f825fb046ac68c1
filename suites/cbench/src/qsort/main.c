/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qsort: sorts the words or lines of a text, or points by their distance, with the quicksort of
 * sort.c (Bentley and McIlroy 1993); checks the result and prints some of it.
 */
#include "items.h"
#include "sort.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long comparisons;

enum kind { WORDS, LINES, POINTS };

struct order {
    const char *name;
    int of_points;
    comparison *compare;
};

static const struct order orders[] = {
    {"bytes", 0, by_bytes},
    {"reverse", 0, by_bytes_reversed},
    {"letters", 0, by_letters},
    {"length", 0, by_length},
    {"distance", 1, by_distance},
    {"farthest", 1, by_distance_reversed},
    {"coordinates", 1, by_coordinates},
};

struct options {
    enum kind kind;
    const struct order *order;
    int every;             /* print one element of so many */
    int frequent;          /* print so many of the most frequent words */
    const char *path;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("qsort: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: qsort [-w | -l | -p] [-o ORDER] [-c X,Y,Z] [-e EVERY] [-f COUNT] FILE\n"
         "  -w -l -p   sort words, lines or points (-w)\n"
         "  -o ORDER   of text: bytes, reverse, letters, length;\n"
         "             of points: distance, farthest, coordinates\n"
         "  -c X,Y,Z   where distances are taken from (0,0,0)\n"
         "  -e EVERY   print one element of EVERY (1)\n"
         "  -f COUNT   print the COUNT most frequent words or lines too",
         complaint);
}

static const struct order *find_order(const char *name)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(orders[i].name, name) == 0)
            return &orders[i];
    }
    usage("unknown order");
}

static int positive(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < 1 || value > 1000000)
        usage("an option's number is not between 1 and 1000000");
    return (int)value;
}

static void read_centre(const char *text)
{
    int32_t coordinate[3];

    for (int i = 0; i < 3; i++) {
        char *end;
        long value = strtol(text, &end, 10);

        if (end == text || *end != (i < 2 ? ',' : '\0') || value < -1000000000 || value > 1000000000)
            usage("-c needs three integers with commas between them");
        coordinate[i] = (int32_t)value;
        text = end + 1;
    }
    set_centre((struct point){coordinate[0], coordinate[1], coordinate[2]});
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->kind = WORDS;
    options->every = 1;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];

        if (strcmp(argument, "-w") == 0) {
            options->kind = WORDS;
        } else if (strcmp(argument, "-l") == 0) {
            options->kind = LINES;
        } else if (strcmp(argument, "-p") == 0) {
            options->kind = POINTS;
        } else if (argument[0] == '-') {
            if (++i == argc)
                usage("unknown option, or nothing after it");
            if (strcmp(argument, "-o") == 0)
                options->order = find_order(argv[i]);
            else if (strcmp(argument, "-c") == 0)
                read_centre(argv[i]);
            else if (strcmp(argument, "-e") == 0)
                options->every = positive(argv[i]);
            else if (strcmp(argument, "-f") == 0)
                options->frequent = positive(argv[i]);
            else
                usage("unknown option");
        } else if (options->path == NULL) {
            options->path = argument;
        } else {
            usage("more than one file");
        }
    }
    if (options->path == NULL)
        usage("no file");
    if (options->order == NULL)
        options->order = find_order(options->kind == POINTS ? "distance" : "bytes");
    if (options->order->of_points != (options->kind == POINTS))
        usage("this order is not for what is sorted");
    if (options->frequent > 0 && options->kind == POINTS)
        usage("-f is for words and lines");
}

/* Exit unless every element is at or after the one before it. */
static void check_order(const void *base, int count, size_t size, comparison *compare)
{
    const char *at = base;

    for (int i = 1; i < count; i++, at += size) {
        if (compare(at, at + size) > 0) {
            printf("elements %d and %d are out of order\n", i - 1, i);
            exit(1);
        }
    }
}

/* The sum of the elements' hashes, which sorting must not change. */
static uint64_t sum_words(const struct words *words)
{
    uint64_t sum = 0;

    for (int i = 0; i < words->count; i++)
        sum += hash_word(&words->item[i]);
    return sum;
}

static uint64_t sum_points(const struct points *points)
{
    uint64_t sum = 0;

    for (int i = 0; i < points->count; i++)
        sum += hash_point(&points->item[i]);
    return sum;
}

static void check_sum(uint64_t before, uint64_t after)
{
    if (before != after) {
        puts("sorting lost or changed elements");
        exit(1);
    }
    printf("elements %016" PRIx64 "\n", after);
}

static void print_words(const struct words *words, int every)
{
    uint64_t checksum = 0;

    for (int i = 0; i < words->count; i++) {
        const struct word *word = &words->item[i];

        checksum = checksum * 31 + hash_word(word);
        if (i % every == 0)
            printf("%d %.*s\n", i, word->length, word->text);
    }
    printf("order %016" PRIx64 "\n", checksum);
}

static void print_frequent(struct words *words, int most)
{
    int distinct;

    sort(words->item, (size_t)words->count, sizeof *words->item, by_bytes);
    distinct = count_words(words->item, words->count);
    sort(words->item, (size_t)distinct, sizeof *words->item, by_occurrences);
    check_order(words->item, distinct, sizeof *words->item, by_occurrences);
    printf("%d distinct\n", distinct);
    for (int i = 0; i < distinct && i < most; i++) {
        const struct word *word = &words->item[i];

        printf("%d times %.*s\n", word->occurrences, word->length, word->text);
    }
}

static void sort_text(const struct options *options)
{
    struct words words;
    uint64_t before;

    if (options->kind == WORDS)
        read_words(&words, options->path);
    else
        read_lines(&words, options->path);
    before = sum_words(&words);
    sort(words.item, (size_t)words.count, sizeof *words.item, options->order->compare);
    printf("%d %s by %s, %ld comparisons\n", words.count, options->kind == WORDS ? "words" : "lines",
           options->order->name, comparisons);
    check_order(words.item, words.count, sizeof *words.item, options->order->compare);
    check_sum(before, sum_words(&words));
    print_words(&words, options->every);
    if (options->frequent > 0)
        print_frequent(&words, options->frequent);
    free_words(&words);
}

/* Points at the same distance may come in any order: the checksum is of the distances alone. */
static void sort_points(const struct options *options)
{
    struct points points;
    uint64_t before, checksum = 0;

    read_points(&points, options->path);
    before = sum_points(&points);
    sort(points.item, (size_t)points.count, sizeof *points.item, options->order->compare);
    printf("%d points by %s, %ld comparisons\n", points.count, options->order->name, comparisons);
    check_order(points.item, points.count, sizeof *points.item, options->order->compare);
    check_sum(before, sum_points(&points));
    for (int i = 0; i < points.count; i++) {
        const struct point *point = &points.item[i];
        int64_t distance = squared_distance(point);

        checksum = checksum * 31 + (uint64_t)distance;
        if (i % options->every == 0)
            printf("%d %" PRId64 " (%d %d %d)\n", i, distance, (int)point->x, (int)point->y, (int)point->z);
    }
    printf("order %016" PRIx64 "\n", checksum);
    free(points.item);
}

int main(int argc, char **argv)
{
    struct options options;

    read_options(&options, argc, argv);
    if (options.kind == POINTS)
        sort_points(&options);
    else
        sort_text(&options);
    return 0;
}
