/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; FNV-1a. */
#include "table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        fputs("wordfreq: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static uint64_t hash(const char *word, size_t length)
{
    uint64_t value = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)word[i]) * 1099511628211u;
    return value;
}

static struct entry *find(const struct table *table, const char *word, size_t length)
{
    size_t at = (size_t)hash(word, length) & (table->room - 1);

    while (table->slots[at].word != NULL) {
        if (strncmp(table->slots[at].word, word, length) == 0 && table->slots[at].word[length] == '\0')
            break;
        at = (at + 1) & (table->room - 1);
    }
    return &table->slots[at];
}

void table_open(struct table *table)
{
    table->room = 64;
    table->used = 0;
    table->slots = allocate(table->room, sizeof *table->slots);
}

static void grow(struct table *table)
{
    struct table larger = {allocate(2 * table->room, sizeof *table->slots), 2 * table->room, table->used};

    for (size_t i = 0; i < table->room; i++) {
        if (table->slots[i].word != NULL)
            *find(&larger, table->slots[i].word, strlen(table->slots[i].word)) = table->slots[i];
    }
    free(table->slots);
    *table = larger;
}

void table_add(struct table *table, const char *word, size_t length)
{
    struct entry *entry = find(table, word, length);

    if (entry->word == NULL) {
        if (2 * (table->used + 1) > table->room) {
            grow(table);
            entry = find(table, word, length);
        }
        entry->word = allocate(length + 1, 1);
        memcpy(entry->word, word, length);
        table->used++;
    }
    entry->count++;
}

static int before(const void *left, const void *right)
{
    const struct entry *one = left, *other = right;

    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return strcmp(one->word, other->word);
}

struct entry *table_sorted(const struct table *table)
{
    struct entry *sorted = allocate(table->used + 1, sizeof *sorted);
    size_t next = 0;

    for (size_t i = 0; i < table->room; i++) {
        if (table->slots[i].word != NULL)
            sorted[next++] = table->slots[i];
    }
    qsort(sorted, next, sizeof *sorted, before);
    return sorted;
}

void table_close(struct table *table)
{
    for (size_t i = 0; i < table->room; i++)
        free(table->slots[i].word);
    free(table->slots);
}
