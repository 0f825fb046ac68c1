/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, files, complaints and a checksum. */
#include "typeset.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE (64u << 20)

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("typeset: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

void *enlarge(void *memory, size_t count, size_t size)
{
    void *larger = count <= SIZE_MAX / size ? realloc(memory, count * size) : NULL;

    if (larger == NULL)
        fail("out of memory");
    return larger;
}

char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, got;
    char *text;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    *length = 0;
    text = allocate(room, 1);
    while ((got = fread(text + *length, 1, room - *length - 1, file)) > 0) {
        *length += got;
        if (*length > LARGEST_FILE)
            fail("%s is too large", path);
        if (room - *length < 2) {
            room *= 2;
            text = enlarge(text, room, 1);
        }
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    text[*length] = '\0';
    return text;
}

/* Fowler, Noll and Vo's hash, a byte at a time, least significant first. */
uint64_t mix(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (value & 0xff)) * 0x100000001b3;
        value >>= 8;
    }
    return hash;
}
