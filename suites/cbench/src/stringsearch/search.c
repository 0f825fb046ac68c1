/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. S. Boyer and J. S. Moore, "A fast string searching algorithm", CACM 20(10), 1977.
 *
 * The pattern is compared from its end. At a mismatch it moves on by the larger of two rules: the
 * text's letter must meet its last occurrence in the pattern (bad character), and what has matched
 * must meet its next occurrence in the pattern that another letter precedes (good suffix).
 */
#include "search.h"

#include <stdlib.h>

static const unsigned char *folding(int ignore_case)
{
    static unsigned char table[2][ALPHABET];

    for (int letter = 0; letter < ALPHABET; letter++) {
        int capital = ignore_case && letter >= 'A' && letter <= 'Z';

        table[ignore_case != 0][letter] = (unsigned char)(capital ? letter - 'A' + 'a' : letter);
    }
    return table[ignore_case != 0];
}

/*
 * border[i] becomes the length of the longest string that both begins and ends the pattern from
 * place i on, and is not all of it; -1 at the pattern's end. On the way every place is met where an
 * end of the pattern occurs again after another letter; the first time, from the right, counts.
 */
static void find_borders(struct matcher *matcher, int *border)
{
    const unsigned char *pattern = matcher->pattern;
    int length = matcher->length;

    for (int place = 0; place < length; place++)
        matcher->good_suffix[place] = 0;
    border[length] = -1;
    for (int i = length - 1; i >= 0; i--) {
        int common = border[i + 1];

        while (common >= 0 && pattern[i] != pattern[length - 1 - common]) {
            int place = length - 1 - common;

            if (matcher->good_suffix[place] == 0)
                matcher->good_suffix[place] = place - i;
            common = border[length - common];
        }
        border[i] = common + 1;
    }
}

static void set_good_suffix(struct matcher *matcher, int *border)
{
    int length = matcher->length, common;

    find_borders(matcher, border);
    matcher->period = length - border[0];
    /* Where what has matched does not occur again, its longest end that begins the pattern may. */
    common = border[0];
    for (int place = 0; place < length; place++) {
        if (common > length - 1 - place)
            common = border[length - common];
        if (matcher->good_suffix[place] == 0)
            matcher->good_suffix[place] = length - common;
    }
}

void prepare(struct matcher *matcher, const unsigned char *pattern, int length, int ignore_case)
{
    int *border = malloc(((size_t)length + 1) * sizeof *border);

    matcher->length = length;
    matcher->fold = folding(ignore_case);
    matcher->pattern = malloc((size_t)length);
    matcher->good_suffix = malloc((size_t)length * sizeof *matcher->good_suffix);
    if (border == NULL || matcher->pattern == NULL || matcher->good_suffix == NULL)
        fail("out of memory");
    for (int i = 0; i < length; i++)
        matcher->pattern[i] = matcher->fold[pattern[i]];
    for (int letter = 0; letter < ALPHABET; letter++)
        matcher->last[letter] = -1;
    for (int i = 0; i < length; i++)
        matcher->last[matcher->pattern[i]] = i;
    set_good_suffix(matcher, border);
    free(border);
}

void free_matcher(struct matcher *matcher)
{
    free(matcher->pattern);
    free(matcher->good_suffix);
}

int find(const struct matcher *matcher, const unsigned char *text, int length, int from,
         struct effort *effort)
{
    while (from <= length - matcher->length) {
        int place = matcher->length - 1;
        int by_character, by_suffix;

        effort->alignments++;
        while (place >= 0 && matcher->fold[text[from + place]] == matcher->pattern[place])
            place--;
        effort->comparisons += matcher->length - 1 - place + (place >= 0);
        if (place < 0)
            return from;
        by_character = place - matcher->last[matcher->fold[text[from + place]]];
        by_suffix = matcher->good_suffix[place];
        if (by_character > by_suffix) {
            effort->by_bad_character++;
            from += by_character;
        } else {
            effort->by_good_suffix++;
            from += by_suffix;
        }
    }
    return NOT_FOUND;
}
