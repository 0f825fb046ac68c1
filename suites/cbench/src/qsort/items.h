/* SPDX-License-Identifier: Apache-2.0 */
/* The things that are sorted: words or lines of a text, and points in space. */
#ifndef ITEMS_H
#define ITEMS_H

#include <stdint.h>

struct word {
    const char *text;      /* not terminated */
    int length;
    int occurrences;       /* set by count_words */
};

struct words {
    struct word *item;
    int count;
    char *text;            /* the whole file */
};

struct point {
    int32_t x, y, z;
};

struct points {
    struct point *item;
    int count;
};

extern long comparisons;   /* calls of the functions below that compare */

_Noreturn void fail(const char *format, ...);

/* words.c */
void read_words(struct words *words, const char *path);
void read_lines(struct words *words, const char *path);
void free_words(struct words *words);
int by_bytes(const void *a, const void *b);
int by_bytes_reversed(const void *a, const void *b);
int by_letters(const void *a, const void *b);
int by_length(const void *a, const void *b);
int by_occurrences(const void *a, const void *b);
uint64_t hash_word(const struct word *word);

/* Fold a sorted array's equal words into one each, with their number; returns how many are left. */
int count_words(struct word *item, int count);

/* points.c */
void read_points(struct points *points, const char *path);
void set_centre(struct point centre);
int64_t squared_distance(const struct point *point);
int by_distance(const void *a, const void *b);
int by_distance_reversed(const void *a, const void *b);
int by_coordinates(const void *a, const void *b);
uint64_t hash_point(const struct point *point);

#endif
