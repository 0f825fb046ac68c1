/* SPDX-License-Identifier: Apache-2.0 */
/* wordfreq FILE HOW-MANY [TIMES]: the commonest words of a file, read so many times. */
#include "table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    *length = 0;
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    do {
        room = room == 0 ? 65536 : 2 * room;
        text = realloc(text, room);
        if (text == NULL) {
            fputs("wordfreq: out of memory\n", stderr);
            exit(2);
        }
        *length += fread(text + *length, 1, room - *length, file);
    } while (*length == room);
    fclose(file);
    return text;
}

static void count_words(struct table *table, const char *text, size_t length)
{
    size_t start = 0;

    for (size_t i = 0; i <= length; i++) {
        if (i < length && isalpha((unsigned char)text[i]))
            continue;
        if (i > start)
            table_add(table, text + start, i - start);
        start = i + 1;
    }
}

int main(int argc, char **argv)
{
    struct table table;
    size_t length;

    if (argc < 3) {
        fputs("usage: wordfreq FILE HOW-MANY [TIMES]\n", stderr);
        return 2;
    }
    char *text = read_file(argv[1], &length);
    table_open(&table);
    for (long times = argc > 3 ? strtol(argv[3], NULL, 10) : 1; times > 0; times--)
        count_words(&table, text, length);
    struct entry *sorted = table_sorted(&table);
    for (size_t i = 0; i < table.used && i < strtoul(argv[2], NULL, 10); i++)
        printf("%7lu %s\n", sorted[i].count, sorted[i].word);
    printf("%zu different words\n", table.used);
    free(sorted);
    table_close(&table);
    free(text);
    return 0;
}
