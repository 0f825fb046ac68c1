/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, memory, files and the checksum. */
#include "mcf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("mcf: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(int64_t count, int64_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

/* Fowler, Noll and Vo's hash, a byte at a time, least significant first. */
void mix(uint64_t *checksum, int64_t value)
{
    uint64_t bits = (uint64_t)value;

    for (int i = 0; i < 8; i++) {
        *checksum = (*checksum ^ (bits & 0xff)) * 0x100000001b3;
        bits >>= 8;
    }
}

/* The whole file, ended by a zero byte. */
char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, length = 0, got;
    char *text = malloc(room);

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    if (text == NULL)
        fail("out of memory");
    while ((got = fread(text + length, 1, room - length - 1, file)) > 0) {
        length += got;
        if (room - length < 2) {
            room *= 2;
            text = realloc(text, room);
            if (text == NULL)
                fail("out of memory");
        }
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    text[length] = '\0';
    if (strlen(text) != length)
        fail("%s is not a text file", path);
    return text;
}
