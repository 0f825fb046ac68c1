/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. Baeza-Yates and G. H. Gonnet, "A new approach to text searching", CACM 35(10), 1992: bit i of
 * the state is 0 when the pattern's letters up to i match the text's letters read last. A letter
 * shifts the state and ors in where the pattern does not have it. Patterns longer than a word of
 * the machine take several, the shift carrying from one to the next.
 */
#include "search.h"

#include <stdint.h>
#include <stdlib.h>

#define WORD_BITS 64

static void search_one_word(struct string text, struct string pattern, struct places *places)
{
    uint64_t differs[ALPHABET];
    uint64_t match = UINT64_C(1) << (pattern.length - 1);
    uint64_t state = UINT64_MAX;

    for (int letter = 0; letter < ALPHABET; letter++)
        differs[letter] = UINT64_MAX;
    for (int i = 0; i < pattern.length; i++)
        differs[pattern.letters[i]] &= ~(UINT64_C(1) << i);
    for (int i = 0; i < text.length; i++) {
        state = state << 1 | differs[text.letters[i]];
        if ((state & match) == 0)
            add_place(places, i + 1 - pattern.length);
    }
}

static void search_words(struct string text, struct string pattern, struct places *places, int words)
{
    uint64_t *differs = allocate(ALPHABET * words, sizeof *differs);
    uint64_t *state = allocate(words, sizeof *state);
    uint64_t match = UINT64_C(1) << ((pattern.length - 1) % WORD_BITS);

    for (int i = 0; i < ALPHABET * words; i++)
        differs[i] = UINT64_MAX;
    for (int i = 0; i < pattern.length; i++)
        differs[pattern.letters[i] * words + i / WORD_BITS] &= ~(UINT64_C(1) << i % WORD_BITS);
    for (int i = 0; i < words; i++)
        state[i] = UINT64_MAX;
    for (int i = 0; i < text.length; i++) {
        const uint64_t *mask = differs + text.letters[i] * words;
        uint64_t carry = 0;

        for (int j = 0; j < words; j++) {
            uint64_t out = state[j] >> (WORD_BITS - 1);

            state[j] = (state[j] << 1 | carry) | mask[j];
            carry = out;
        }
        if ((state[words - 1] & match) == 0)
            add_place(places, i + 1 - pattern.length);
    }
    free(differs);
    free(state);
}

steps search_shift_or(struct string text, struct string pattern, struct places *places)
{
    int words = (pattern.length + WORD_BITS - 1) / WORD_BITS;

    if (words == 1)
        search_one_word(text, pattern, places);
    else
        search_words(text, pattern, places, words);
    return (steps)text.length * words;
}
