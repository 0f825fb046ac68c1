/* SPDX-License-Identifier: Apache-2.0 */
/* String searches that read the text from left to right, and what they share. */
#ifndef SEARCH_H
#define SEARCH_H

#define ALPHABET 256

struct string {
    const unsigned char *letters;
    int length;
};

/* The places where a pattern begins, ascending. */
struct places {
    int *place;
    int count;
};

/* Steps that an algorithm took: its own measure, the same on every machine. */
typedef long steps;

_Noreturn void fail(const char *format, ...);
void *allocate(int count, int size);
void add_place(struct places *places, int place);

/* Find one pattern of 1 letter or more; add its places. */
steps search_horspool(struct string text, struct string pattern, struct places *places);
steps search_kmp(struct string text, struct string pattern, struct places *places);
steps search_shift_or(struct string text, struct string pattern, struct places *places);

/* Find `count` patterns at once; places[i] is for pattern[i]. */
steps search_set(struct string text, const struct string *pattern, int count, struct places *places);

#endif
