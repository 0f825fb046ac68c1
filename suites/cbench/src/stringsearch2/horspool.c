/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. N. Horspool, "Practical fast searching in strings", Software: Practice and Experience 10(6),
 * 1980: whatever has matched, the text's letter under the pattern's end alone decides the move.
 */
#include "search.h"

#include <string.h>

steps search_horspool(struct string text, struct string pattern, struct places *places)
{
    int move[ALPHABET];
    int last = pattern.length - 1;
    steps taken = 0;

    for (int letter = 0; letter < ALPHABET; letter++)
        move[letter] = pattern.length;
    for (int i = 0; i < last; i++)
        move[pattern.letters[i]] = last - i;
    for (int end = last; end < text.length; end += move[text.letters[end]]) {
        const unsigned char *window = text.letters + end - last;

        taken++;
        if (window[last] == pattern.letters[last] && memcmp(window, pattern.letters, (size_t)last) == 0)
            add_place(places, end - last);
    }
    return taken;
}
