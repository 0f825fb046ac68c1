/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that grow, and those that are read one after the other. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

struct buffer {
    unsigned char *data;
    size_t length, room;
};

/* All end the program when there is no memory. */
void buffer_add(struct buffer *buffer, const void *data, size_t length);
void buffer_add_byte(struct buffer *buffer, unsigned byte);
void buffer_add_number(struct buffer *buffer, unsigned long value, int bytes); /* big-endian */
unsigned char *buffer_extend(struct buffer *buffer, size_t length);            /* the new bytes */
void buffer_free(struct buffer *buffer);

struct source {
    const unsigned char *data;
    size_t length, at;
};

/* So many bytes from here on, or NULL if there are not as many. */
const unsigned char *source_take(struct source *source, size_t length);

/* zip.c: raw DEFLATE streams (RFC 1951) with a window of 8 KiB, as PGP had it. */
struct zip_effort {
    long stored, fixed, dynamic;    /* blocks */
    long literals, matches;
};

extern struct zip_effort zip_effort;

void zip_compress(struct buffer *out, const unsigned char *data, size_t length);

/* unzip.c: false if the stream is damaged. */
int zip_decompress(struct buffer *out, const unsigned char *data, size_t length);

/* Bases and numbers of extra bits of the codes for lengths from 3 and distances from 1. */
enum { LENGTH_CODES = 29, DISTANCE_CODES = 30, LITERALS = 288, MAX_BITS = 15, END_OF_BLOCK = 256 };
enum { LENGTH_ORDERS = 19 };

extern const unsigned short length_base[LENGTH_CODES], distance_base[DISTANCE_CODES];
extern const unsigned char length_extra[LENGTH_CODES], distance_extra[DISTANCE_CODES];
extern const unsigned char length_order[LENGTH_ORDERS];

/* armor.c: the radix-64 form with a CRC-24 of RFC 1991, section 2.4. */
void armor_add(struct buffer *out, const unsigned char *data, size_t length);

/* The bytes of the next armored message of the source; false if there is none or it is damaged. */
int armor_next(struct source *source, struct buffer *out);
unsigned long crc24(const unsigned char *data, size_t length);

#endif
