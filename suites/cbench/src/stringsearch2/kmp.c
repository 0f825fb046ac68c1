/* SPDX-License-Identifier: Apache-2.0 */
/*
 * D. E. Knuth, J. H. Morris and V. R. Pratt, "Fast pattern matching in strings", SIAM Journal on
 * Computing 6(2), 1977: never goes back in the text; a table says how much of the pattern still
 * matches after a mismatch.
 */
#include "search.h"

#include <stdlib.h>

/*
 * next[i]: how many letters of the pattern to compare on from when its letter i mismatches, the
 * letters before i having matched; -1: go to the text's next letter. The letter at next[i] differs
 * from the one at i, since it would mismatch again. next[length] is for going on after a match.
 */
static int *make_next(struct string pattern)
{
    int *next = allocate(pattern.length + 1, sizeof *next);
    int matched = -1;      /* longest proper border of the first i letters */

    for (int i = 0; i < pattern.length; i++) {
        unsigned char letter = pattern.letters[i];

        if (matched < 0 || letter != pattern.letters[matched])
            next[i] = matched;
        else
            next[i] = next[matched];
        while (matched >= 0 && letter != pattern.letters[matched])
            matched = next[matched];
        matched++;
    }
    next[pattern.length] = matched;
    return next;
}

steps search_kmp(struct string text, struct string pattern, struct places *places)
{
    int *next = make_next(pattern);
    int matched = 0;
    steps taken = 0;

    for (int i = 0; i < text.length; i++) {
        taken++;
        while (matched >= 0 && text.letters[i] != pattern.letters[matched]) {
            matched = next[matched];
            taken++;
        }
        if (++matched == pattern.length) {
            add_place(places, i + 1 - matched);
            matched = next[matched];
        }
    }
    free(next);
    return taken;
}
