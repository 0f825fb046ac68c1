/* SPDX-License-Identifier: Apache-2.0 */
/* Words and lines of a text file, and the orders in which they can be sorted. */
#include "items.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_FILE (64L << 20)

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 4096, got;
    char *text;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    *length = 0;
    text = malloc(room);
    while (text != NULL && (got = fread(text + *length, 1, room - *length, file)) > 0) {
        *length += got;
        if (*length > (size_t)LONGEST_FILE)
            fail("%s is longer than %ld bytes", path, LONGEST_FILE);
        if (*length == room) {
            room *= 2;
            text = realloc(text, room);
        }
    }
    if (text == NULL)
        fail("out of memory");
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    return text;
}

static void add_word(struct words *words, const char *text, const char *end)
{
    struct word *word;

    if ((words->count & (words->count - 1)) == 0) {
        size_t room = words->count > 0 ? 2 * (size_t)words->count : 1;

        words->item = realloc(words->item, room * sizeof *words->item);
        if (words->item == NULL)
            fail("out of memory");
    }
    word = &words->item[words->count++];
    word->text = text;
    word->length = (int)(end - text);
    word->occurrences = 1;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word is a run of letters; apostrophes and hyphens belong to it when letters surround them. */
void read_words(struct words *words, const char *path)
{
    size_t length;
    const char *at, *end;

    memset(words, 0, sizeof *words);
    words->text = read_file(path, &length);
    at = words->text;
    end = at + length;
    while (at < end) {
        const char *start = at;

        while (at < end && (is_letter(*at) || ((*at == '\'' || *at == '-') && at > start && at + 1 < end &&
                                               is_letter(at[-1]) && is_letter(at[1]))))
            at++;
        if (at > start)
            add_word(words, start, at);
        else
            at++;
    }
}

void read_lines(struct words *words, const char *path)
{
    size_t length;
    const char *start, *end;

    memset(words, 0, sizeof *words);
    words->text = read_file(path, &length);
    start = words->text;
    end = start + length;
    while (start < end) {
        const char *stop = start;

        while (stop < end && *stop != '\n')
            stop++;
        if (stop > start)
            add_word(words, start, stop);
        start = stop + 1;
    }
}

void free_words(struct words *words)
{
    free(words->item);
    free(words->text);
}

static int compare_bytes(const struct word *left, const struct word *right)
{
    int common = left->length < right->length ? left->length : right->length;

    for (int i = 0; i < common; i++) {
        if (left->text[i] != right->text[i])
            return (unsigned char)left->text[i] < (unsigned char)right->text[i] ? -1 : 1;
    }
    return (left->length > right->length) - (left->length < right->length);
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : (unsigned char)c;
}

int by_bytes(const void *a, const void *b)
{
    comparisons++;
    return compare_bytes(a, b);
}

int by_bytes_reversed(const void *a, const void *b)
{
    comparisons++;
    return compare_bytes(b, a);
}

/* As in a dictionary: capitals count as small letters, and matter between equals alone. */
int by_letters(const void *a, const void *b)
{
    const struct word *left = a, *right = b;
    int common = left->length < right->length ? left->length : right->length;

    comparisons++;
    for (int i = 0; i < common; i++) {
        int difference = lower(left->text[i]) - lower(right->text[i]);

        if (difference != 0)
            return difference;
    }
    if (left->length != right->length)
        return left->length - right->length;
    return compare_bytes(left, right);
}

int by_length(const void *a, const void *b)
{
    const struct word *left = a, *right = b;

    comparisons++;
    if (left->length != right->length)
        return left->length - right->length;
    return compare_bytes(left, right);
}

/* The most frequent first. */
int by_occurrences(const void *a, const void *b)
{
    const struct word *left = a, *right = b;

    comparisons++;
    if (left->occurrences != right->occurrences)
        return right->occurrences - left->occurrences;
    return compare_bytes(left, right);
}

uint64_t hash_word(const struct word *word)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (int i = 0; i < word->length; i++)
        hash = (hash ^ (unsigned char)word->text[i]) * 0x100000001b3;
    return hash;
}

int count_words(struct word *item, int count)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        if (kept > 0 && compare_bytes(&item[kept - 1], &item[i]) == 0)
            item[kept - 1].occurrences += item[i].occurrences;
        else
            item[kept++] = item[i];
    }
    return kept;
}
