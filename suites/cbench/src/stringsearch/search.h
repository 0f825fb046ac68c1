/* SPDX-License-Identifier: Apache-2.0 */
/* Search for one string in a text after Boyer and Moore. */
#ifndef SEARCH_H
#define SEARCH_H

#define NOT_FOUND (-1)
#define ALPHABET 256

/* A pattern, made ready to be searched for. */
struct matcher {
    unsigned char *pattern;         /* folded when case is ignored */
    int length;
    int period;                     /* how far to move on after a match */
    int last[ALPHABET];             /* last place of a letter in the pattern, or -1 */
    int *good_suffix;               /* how far to move on after a mismatch at a place */
    const unsigned char *fold;      /* what each letter of the text counts as */
};

/* What searches did. */
struct effort {
    long alignments;
    long comparisons;
    long by_bad_character;          /* moves that the bad-character rule decided */
    long by_good_suffix;
};

_Noreturn void fail(const char *format, ...);

/* Make a matcher; it must be released with free_matcher. Length is 1 or more. */
void prepare(struct matcher *matcher, const unsigned char *pattern, int length, int ignore_case);
void free_matcher(struct matcher *matcher);

/* The first place at or after `from` where the pattern begins in the text, or NOT_FOUND. */
int find(const struct matcher *matcher, const unsigned char *text, int length, int from,
         struct effort *effort);

#endif
