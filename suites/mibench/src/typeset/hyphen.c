/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Franklin Mark Liang: Word Hy-phen-a-tion by Com-put-er (1983). Patterns of letters with digits
 * between them; all that occur in a word (between two full stops) have their say, the greatest
 * digit wins, and a word may be broken where that is odd. They are in a trie that is packed: all
 * nodes share one array, each placed where its children fall on free cells (first fit).
 */
#include "typeset.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS 27 /* 0 is the word's edge, 1 to 26 are a to z */
#define NONE 0

/* A node of the tree that patterns are read into: children in a list, by rising letter. */
struct node {
    int letter;
    int sibling;
    int child;
    int values; /* index of the pattern's digits, or NONE */
};

struct cell {
    uint8_t letter; /* 255: free */
    uint8_t used;   /* a node starts here */
    int base;       /* where this node's children are, less their letters */
    int values;
};

struct exception {
    char word[LONGEST_WORD + 1];
    unsigned char breaks[LONGEST_WORD + 1];
};

struct hyphenator {
    struct node *nodes;
    int node_count, node_room;
    struct cell *cells;
    int cell_count;
    uint8_t *digits; /* strings of a length, then so many digits */
    int digit_count, digit_room;
    struct exception *exceptions;
    int exception_count, exception_room;
    int patterns;
};

static int new_node(struct hyphenator *h, int letter)
{
    if (h->node_count == h->node_room) {
        h->node_room = h->node_room ? 2 * h->node_room : 1024;
        h->nodes = enlarge(h->nodes, (size_t)h->node_room, sizeof *h->nodes);
    }
    h->nodes[h->node_count] = (struct node){letter, NONE, NONE, NONE};
    return h->node_count++;
}

/* The child of that letter, made if need be. */
static int child_of(struct hyphenator *h, int parent, int letter)
{
    int before = NONE, here = h->nodes[parent].child, made;

    while (here != NONE && h->nodes[here].letter < letter) {
        before = here;
        here = h->nodes[here].sibling;
    }
    if (here != NONE && h->nodes[here].letter == letter)
        return here;
    made = new_node(h, letter);
    h->nodes[made].sibling = here;
    if (before == NONE)
        h->nodes[parent].child = made;
    else
        h->nodes[before].sibling = made;
    return made;
}

static int add_digits(struct hyphenator *h, const uint8_t *digits, int count)
{
    int at = h->digit_count;

    if (h->digit_count + count + 1 > h->digit_room) {
        h->digit_room = 2 * h->digit_room + 4096;
        h->digits = enlarge(h->digits, (size_t)h->digit_room, 1);
    }
    h->digits[h->digit_count++] = (uint8_t)count;
    memcpy(h->digits + h->digit_count, digits, (size_t)count);
    h->digit_count += count;
    return at;
}

static int code_of(char letter)
{
    if (letter == '.')
        return 0;
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 1 : -1;
}

static void add_pattern(struct hyphenator *h, const char *text, size_t length)
{
    uint8_t digits[LONGEST_WORD + 3] = {0};
    int node = 1, letters = 0;

    for (size_t i = 0; i < length; i++) {
        if (isdigit((unsigned char)text[i])) {
            digits[letters] = (uint8_t)(text[i] - '0');
        } else {
            int code = code_of(text[i]);

            if (code < 0 || (code == 0 && i != 0 && i + 1 != length) || letters >= LONGEST_WORD)
                fail("'%.*s' is not a pattern", (int)length, text);
            node = child_of(h, node, code);
            letters++;
        }
    }
    if (letters == 0)
        fail("'%.*s' is not a pattern", (int)length, text);
    if (h->nodes[node].values != NONE)
        fail("'%.*s': there is a pattern of these letters already", (int)length, text);
    h->nodes[node].values = add_digits(h, digits, letters + 1);
    h->patterns++;
}

static void add_exception(struct hyphenator *h, const char *text, size_t length)
{
    struct exception *exception;
    size_t letters = 0;

    if (h->exception_count == h->exception_room) {
        h->exception_room = h->exception_room ? 2 * h->exception_room : 64;
        h->exceptions = enlarge(h->exceptions, (size_t)h->exception_room, sizeof *h->exceptions);
    }
    exception = &h->exceptions[h->exception_count++];
    memset(exception, 0, sizeof *exception);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '-') {
            exception->breaks[letters] = 1;
        } else if (code_of(text[i]) <= 0 || letters >= LONGEST_WORD) {
            fail("'%.*s' is not a word with its hyphens", (int)length, text);
        } else {
            exception->word[letters++] = text[i];
        }
    }
}

static int compare_exceptions(const void *left, const void *right)
{
    return strcmp(((const struct exception *)left)->word, ((const struct exception *)right)->word);
}

static void need_cells(struct hyphenator *h, int count)
{
    int old = h->cell_count;

    if (count <= old)
        return;
    h->cell_count = count + 4096;
    h->cells = enlarge(h->cells, (size_t)h->cell_count, sizeof *h->cells);
    for (int i = old; i < h->cell_count; i++)
        h->cells[i] = (struct cell){255, 0, 0, NONE};
}

/* Place the children of a node, then theirs; gives their base. */
static int pack(struct hyphenator *h, int node)
{
    int base = 1;

    if (h->nodes[node].child == NONE)
        return 0;
    for (;; base++) {
        int fits;

        need_cells(h, base + LETTERS);
        fits = !h->cells[base].used;
        for (int i = h->nodes[node].child; fits && i != NONE; i = h->nodes[i].sibling)
            fits = h->cells[base + h->nodes[i].letter].letter == 255;
        if (fits)
            break;
    }
    h->cells[base].used = 1;
    for (int i = h->nodes[node].child; i != NONE; i = h->nodes[i].sibling)
        h->cells[base + h->nodes[i].letter].letter = (uint8_t)h->nodes[i].letter;
    for (int i = h->nodes[node].child; i != NONE; i = h->nodes[i].sibling) {
        int below = pack(h, i);

        h->cells[base + h->nodes[i].letter].base = below;
        h->cells[base + h->nodes[i].letter].values = h->nodes[i].values;
    }
    return base;
}

struct hyphenator *read_hyphenator(const char *path)
{
    struct hyphenator *h = allocate(1, sizeof *h);
    size_t length;
    char *text = read_file(path, &length), *word = text;
    static const uint8_t nothing = 0;

    new_node(h, 0); /* 0 is NONE */
    new_node(h, 0); /* the root */
    add_digits(h, &nothing, 1);
    while (*word != '\0') {
        size_t count = strcspn(word, " \t\r\n");

        if (count > 0) {
            if (memchr(word, '-', count) != NULL)
                add_exception(h, word, count);
            else
                add_pattern(h, word, count);
        }
        word += count;
        word += strspn(word, " \t\r\n");
    }
    if (word != text + length)
        fail("%s is not text", path);
    free(text);
    if (h->exception_count > 0)
        qsort(h->exceptions, (size_t)h->exception_count, sizeof *h->exceptions, compare_exceptions);
    need_cells(h, 1);
    h->cells[0].base = pack(h, 1);
    return h;
}

void free_hyphenator(struct hyphenator *h)
{
    free(h->nodes);
    free(h->cells);
    free(h->digits);
    free(h->exceptions);
    free(h);
}

static const struct exception *find_exception(const struct hyphenator *h, const char *word)
{
    int low = 0, high = h->exception_count;

    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(word, h->exceptions[middle].word);

        if (order == 0)
            return &h->exceptions[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

size_t hyphenate(const struct hyphenator *h, const char *word, size_t length, unsigned char *breaks)
{
    uint8_t codes[LONGEST_WORD + 3], most[LONGEST_WORD + 4] = {0};
    char copy[LONGEST_WORD + 1];
    const struct exception *exception;
    size_t found = 0;

    memset(breaks, 0, length + 1);
    if (length < LEAST_BEFORE + LEAST_AFTER || length > LONGEST_WORD)
        return 0;
    memcpy(copy, word, length);
    copy[length] = '\0';
    exception = find_exception(h, copy);
    codes[0] = 0;
    for (size_t i = 0; i < length; i++)
        codes[i + 1] = (uint8_t)code_of(word[i]);
    codes[length + 1] = 0;
    for (size_t start = 0; exception == NULL && start < length + 2; start++) {
        int base = h->cells[0].base;

        for (size_t i = start; i < length + 2 && base != 0; i++) {
            const struct cell *cell = &h->cells[base + codes[i]];

            if (cell->letter != codes[i])
                break;
            if (cell->values != NONE) {
                const uint8_t *digits = h->digits + cell->values;

                for (int k = 0; k < digits[0]; k++) {
                    if (digits[1 + k] > most[start + (size_t)k])
                        most[start + (size_t)k] = digits[1 + k];
                }
            }
            base = cell->base;
        }
    }
    for (size_t i = LEAST_BEFORE; i + LEAST_AFTER <= length; i++) {
        if (exception != NULL ? exception->breaks[i] : most[i + 1] % 2) {
            breaks[i] = 1;
            found++;
        }
    }
    return found;
}

void print_hyphenator(const struct hyphenator *h)
{
    int used = 0, top = 0;

    for (int i = 0; i < h->cell_count; i++) {
        if (h->cells[i].letter != 255) {
            used++;
            top = i;
        }
    }
    printf("patterns: %d and %d exceptions, %d nodes in %d cells\n", h->patterns, h->exception_count, used, top + 1);
}
