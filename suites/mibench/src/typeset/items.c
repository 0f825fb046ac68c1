/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A paragraph as Knuth and Plass see it: boxes for the pieces of words, glue between words and
 * penalties where words may be broken.
 */
#include "typeset.h"

#include <ctype.h>
#include <string.h>

#define INDENT (20 * POINT)
#define HYPHEN_PENALTY 50
#define FILL (100000 * POINT)

static void add(struct paragraph *paragraph, struct item item)
{
    if (paragraph->count == paragraph->room) {
        paragraph->room = paragraph->room ? 2 * paragraph->room : 256;
        paragraph->items = enlarge(paragraph->items, paragraph->room, sizeof *paragraph->items);
    }
    paragraph->items[paragraph->count++] = item;
}

static void add_penalty(struct paragraph *paragraph, int32_t penalty, int32_t width, int flagged)
{
    add(paragraph, (struct item){.kind = PENALTY, .penalty = penalty, .width = width, .flagged = flagged});
}

/* Space between words stretches more and shrinks less after punctuation. */
static void add_space(struct paragraph *paragraph, char last)
{
    struct item glue = {.kind = GLUE, .width = 3300, .stretch = 1650, .shrink = 1100};

    if (last == ',') {
        glue.stretch = 2060;
        glue.shrink = 880;
    } else if (last == ';' || last == ':') {
        glue.stretch = 2500;
        glue.shrink = 730;
    } else if (last == '.' || last == '?' || last == '!') {
        glue.width = 4400;
        glue.stretch = 5000;
        glue.shrink = 370;
    }
    add(paragraph, glue);
}

/* Where the letters begin and end that are to be hyphenated: a run of them between other signs. */
static size_t letters_of(const char *word, size_t length, size_t *first)
{
    size_t from = 0, to;

    while (from < length && !isalpha((unsigned char)word[from]))
        from++;
    for (to = from; to < length && isalpha((unsigned char)word[to]); to++)
        ;
    for (size_t i = to; i < length; i++) {
        if (isalnum((unsigned char)word[i]) || word[i] == '-')
            return 0; /* no plain word */
    }
    *first = from;
    return to - from;
}

/* Mark the places in a word after which a line may end, with a hyphen (1) or without (2). */
static size_t find_breaks(const char *word, size_t length, const struct hyphenator *hyphenator, unsigned char *breaks)
{
    size_t first = 0, found = 0, letters;

    memset(breaks, 0, length + 1);
    for (size_t i = 1; i + 1 < length; i++) {
        if (word[i - 1] == '-' && word[i] != '-') {
            breaks[i] = 2;
            found++;
        }
    }
    letters = letters_of(word, length, &first);
    if (hyphenator != NULL && letters > 0 && letters <= LONGEST_WORD) {
        char lower[LONGEST_WORD + 1];
        unsigned char inside[LONGEST_WORD + 1];

        for (size_t i = 0; i < letters; i++)
            lower[i] = (char)tolower((unsigned char)word[first + i]);
        found += hyphenate(hyphenator, lower, letters, inside);
        for (size_t i = 1; i < letters; i++) {
            if (inside[i])
                breaks[first + i] = 1;
        }
    }
    return found;
}

/* Pieces are as wide as they are in the unbroken word, so that kerns and ligatures count. */
static void add_word(struct paragraph *paragraph, size_t start, size_t length, const struct hyphenator *hyphenator)
{
    const char *word = paragraph->text + start;
    unsigned char breaks[256];
    size_t from = 0;
    int32_t before = 0;

    if (length >= sizeof breaks) {
        add(paragraph, (struct item){.kind = BOX, .width = text_width(word, length), .start = (uint32_t)start,
                                     .length = (uint32_t)length});
        return;
    }
    paragraph->hyphens += find_breaks(word, length, hyphenator, breaks);
    for (size_t to = 1; to <= length; to++) {
        int32_t until;

        if (to < length && !breaks[to])
            continue;
        until = text_width(word, to);
        add(paragraph, (struct item){.kind = BOX, .width = until - before, .start = (uint32_t)(start + from),
                                     .length = (uint32_t)(to - from)});
        if (to < length)
            add_penalty(paragraph, HYPHEN_PENALTY, breaks[to] == 1 ? glyph_width('-') : 0, 1);
        before = until;
        from = to;
    }
}

void make_items(struct paragraph *paragraph, const struct hyphenator *hyphenator)
{
    const char *text = paragraph->text;
    size_t at = 0;

    paragraph->count = 0;
    paragraph->hyphens = 0;
    add(paragraph, (struct item){.kind = BOX, .width = INDENT});
    while (at < paragraph->length) {
        const char *space = memchr(text + at, ' ', paragraph->length - at);
        size_t end = space != NULL ? (size_t)(space - text) : paragraph->length;

        add_word(paragraph, at, end - at, hyphenator);
        if (end < paragraph->length)
            add_space(paragraph, text[end - 1]);
        at = end + 1;
    }
    add_penalty(paragraph, INFINITE, 0, 0);
    add(paragraph, (struct item){.kind = GLUE, .stretch = FILL});
    add_penalty(paragraph, -INFINITE, 0, 1);
}
