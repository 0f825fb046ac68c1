/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that grow, and those that are read one after the other. */
#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *buffer_extend(struct buffer *buffer, size_t length)
{
    if (buffer->room - buffer->length < length) {
        buffer->room = 2 * buffer->room + length + 256;
        buffer->data = realloc(buffer->data, buffer->room);
        if (buffer->data == NULL) {
            fputs("pgp: not enough memory\n", stderr);
            exit(2);
        }
    }
    buffer->length += length;
    return buffer->data + buffer->length - length;
}

void buffer_add(struct buffer *buffer, const void *data, size_t length)
{
    unsigned char *to = buffer_extend(buffer, length);
    if (length > 0)
        memcpy(to, data, length);
}

void buffer_add_byte(struct buffer *buffer, unsigned byte)
{
    *buffer_extend(buffer, 1) = (unsigned char)byte;
}

void buffer_add_number(struct buffer *buffer, unsigned long value, int bytes)
{
    while (bytes-- > 0)
        buffer_add_byte(buffer, (unsigned)(value >> 8 * bytes & 0xff));
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}

const unsigned char *source_take(struct source *source, size_t length)
{
    const unsigned char *taken = source->data + source->at;

    if (source->length - source->at < length)
        return NULL;
    source->at += length;
    return taken;
}
