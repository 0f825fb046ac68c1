/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes IPv4 routes in dotted decimal notation. */
#include "routes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LENGTH 128

/* A line of a file while it is taken apart. */
struct line {
    const char *path;
    int number;
    char *cursor;
    char text[LINE_LENGTH];
};

static int number_below(struct line *line, int limit, const char *what)
{
    int value = 0;

    if (!isdigit((unsigned char)*line->cursor))
        fail("%s:%d: %s expected", line->path, line->number, what);
    while (isdigit((unsigned char)*line->cursor)) {
        value = value * 10 + (*line->cursor++ - '0');
        if (value >= limit)
            fail("%s:%d: %s is above %d", line->path, line->number, what, limit - 1);
    }
    return value;
}

static uint32_t address_of(struct line *line)
{
    uint32_t address = 0;

    for (int i = 0; i < 4; i++) {
        if (i > 0 && *line->cursor++ != '.')
            fail("%s:%d: an address has four parts", line->path, line->number);
        address = address << 8 | (uint32_t)number_below(line, 256, "a part of an address");
    }
    return address;
}

static void skip_blanks(struct line *line)
{
    while (isspace((unsigned char)*line->cursor))
        line->cursor++;
}

/* Go to the next line with something on it; 0 at the end of the file. */
static int next_line(FILE *file, struct line *line)
{
    while (fgets(line->text, sizeof line->text, file) != NULL) {
        line->number++;
        if (strchr(line->text, '\n') == NULL && !feof(file))
            fail("%s:%d: the line is too long", line->path, line->number);
        line->text[strcspn(line->text, "#\n")] = '\0';
        line->cursor = line->text;
        skip_blanks(line);
        if (*line->cursor != '\0')
            return 1;
    }
    return 0;
}

static struct entry *new_entry(struct entries *entries)
{
    /* Grow when the count is a power of two. */
    if ((entries->count & (entries->count - 1)) == 0) {
        size_t room = entries->count > 0 ? 2 * (size_t)entries->count : 1;

        entries->item = realloc(entries->item, room * sizeof *entries->item);
        if (entries->item == NULL)
            fail("out of memory");
    }
    return &entries->item[entries->count++];
}

/* Addresses that share their first 12 bits share a next hop, as those of one site do. */
static int default_hop(uint32_t address, int hops)
{
    uint32_t spread = (address >> 20) * 2654435761u;

    return 1 + (int)((spread >> 16) % (uint32_t)hops);
}

static void read_entries(struct entries *entries, const char *path, const struct defaults *defaults)
{
    FILE *file = fopen(path, "r");
    struct line line = {.path = path};

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    entries->item = NULL;
    entries->count = 0;
    while (next_line(file, &line)) {
        struct entry *entry = new_entry(entries);
        uint32_t address = address_of(&line);

        entry->prefix.length = 32;
        entry->hop = 0;
        if (defaults != NULL) {
            entry->hop = default_hop(address, defaults->hops);
            if (*line.cursor == '/') {
                line.cursor++;
                entry->prefix.length = number_below(&line, 33, "a prefix length");
                skip_blanks(&line);
                if (*line.cursor != '\0')
                    entry->hop = number_below(&line, 65536, "a next hop");
            } else {
                entry->prefix.length = defaults->length[(entries->count - 1) % defaults->lengths];
            }
        }
        entry->prefix.address = address & prefix_mask(entry->prefix.length);
        skip_blanks(&line);
        if (*line.cursor != '\0')
            fail("%s:%d: unexpected '%s'", path, line.number, line.cursor);
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
}

void read_routes(struct entries *routes, const char *path, const struct defaults *defaults)
{
    read_entries(routes, path, defaults);
}

void read_addresses(struct entries *addresses, const char *path)
{
    read_entries(addresses, path, NULL);
}

char *format_address(char buffer[20], uint32_t address)
{
    snprintf(buffer, 20, "%d.%d.%d.%d", (int)(address >> 24), (int)(address >> 16 & 255),
             (int)(address >> 8 & 255), (int)(address & 255));
    return buffer;
}

char *format_prefix(char buffer[20], struct prefix prefix)
{
    size_t length = strlen(format_address(buffer, prefix.address));

    snprintf(buffer + length, 20 - length, "/%d", prefix.length);
    return buffer;
}
