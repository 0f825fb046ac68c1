/* SPDX-License-Identifier: Apache-2.0 */
/* Binary data as lines of printable characters, with a checksum of 24 bits (RFC 1991, section 2.4). */
#include "buffer.h"

#include <stdint.h>
#include <string.h>

enum { LINE = 48 }; /* bytes; a third more characters */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char first_line[] = "-----BEGIN PGP MESSAGE-----", last_line[] = "-----END PGP MESSAGE-----";

unsigned long crc24(const unsigned char *data, size_t length)
{
    static uint32_t table[256];
    uint32_t crc = 0xb704ce;

    if (table[1] == 0)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t rest = byte << 16;
            for (int bit = 0; bit < 8; bit++)
                rest = rest & 0x800000 ? rest << 1 ^ 0x1864cfb : rest << 1;
            table[byte] = rest & 0xffffff;
        }
    for (size_t i = 0; i < length; i++)
        crc = (crc << 8 ^ table[(crc >> 16 ^ data[i]) & 0xff]) & 0xffffff;
    return crc;
}

/* At most three bytes as four characters. */
static void put_group(struct buffer *out, const unsigned char *data, size_t length)
{
    uint32_t group = (uint32_t)data[0] << 16 | (length > 1 ? (uint32_t)data[1] << 8 : 0) | (length > 2 ? data[2] : 0);
    char text[4];

    for (size_t i = 0; i < 4; i++)
        text[i] = i <= length ? alphabet[group >> (18 - 6 * i) & 63] : '=';
    buffer_add(out, text, sizeof text);
}

void armor_add(struct buffer *out, const unsigned char *data, size_t length)
{
    unsigned long crc = crc24(data, length);
    const unsigned char check[3] = {(unsigned char)(crc >> 16), (unsigned char)(crc >> 8), (unsigned char)crc};

    buffer_add(out, first_line, sizeof first_line - 1);
    buffer_add(out, "\nVersion: 2.6\n\n", 15);
    for (size_t at = 0; at < length; at += 3) {
        put_group(out, data + at, length - at < 3 ? length - at : 3);
        if ((at + 3) % LINE == 0 || at + 3 >= length)
            buffer_add_byte(out, '\n');
    }
    buffer_add_byte(out, '=');
    put_group(out, check, sizeof check);
    buffer_add_byte(out, '\n');
    buffer_add(out, last_line, sizeof last_line - 1);
    buffer_add_byte(out, '\n');
}

/* The next line, without its end; NULL after the last one. */
static const char *next_line(struct source *source, size_t *length)
{
    const char *line = (const char *)source->data + source->at;
    size_t rest = source->length - source->at;

    if (rest == 0)
        return NULL;
    const char *end = memchr(line, '\n', rest);
    *length = end != NULL ? (size_t)(end - line) : rest;
    source->at += *length + (end != NULL);
    return line;
}

static int value_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

/* Whole groups of four characters, the last of which may be padded. */
static int decode_line(const char *line, size_t length, struct buffer *out)
{
    if (length % 4 != 0)
        return 0;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;
        int bytes = 3;

        if (i + 4 == length && line[i + 3] == '=')
            bytes = line[i + 2] == '=' ? 1 : 2;
        for (int k = 0; k < 4; k++) {
            int value = k <= bytes ? value_of(line[i + (size_t)k]) : 0;
            if (value < 0)
                return 0;
            group = group << 6 | (uint32_t)value;
        }
        for (int k = 0; k < bytes; k++)
            buffer_add_byte(out, group >> (16 - 8 * k) & 0xff);
    }
    return 1;
}

int armor_next(struct source *source, struct buffer *out)
{
    struct buffer check = {NULL, 0, 0};
    size_t length, start = out->length;
    const char *line;
    int good;

    do
        line = next_line(source, &length);
    while (line != NULL && (length != sizeof first_line - 1 || memcmp(line, first_line, length) != 0));
    do
        line = line != NULL ? next_line(source, &length) : NULL;
    while (line != NULL && length > 0);
    while (line != NULL && (line = next_line(source, &length)) != NULL && length > 0 && line[0] != '=')
        if (!decode_line(line, length, out))
            return 0;
    if (line == NULL || length != 5 || !decode_line(line + 1, 4, &check))
        return 0;
    good = check.length == 3 && crc24(out->data + start, out->length - start)
                                    == ((unsigned long)check.data[0] << 16 | (unsigned long)check.data[1] << 8
                                        | check.data[2]);
    buffer_free(&check);
    line = next_line(source, &length);
    return good && line != NULL && length == sizeof last_line - 1 && memcmp(line, last_line, length) == 0;
}
