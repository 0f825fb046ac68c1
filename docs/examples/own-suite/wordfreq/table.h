/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from words to counts. */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

struct entry {
    char *word;
    unsigned long count;
};

struct table {
    struct entry *slots;
    size_t room, used;
};

void table_open(struct table *table);
void table_add(struct table *table, const char *word, size_t length);
/* The entries in order: the commonest first, equally common ones by their letters. */
struct entry *table_sorted(const struct table *table);
void table_close(struct table *table);

#endif
