/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of raw DEFLATE streams (RFC 1951) with canonical codes, a bit at a time. */
#include "buffer.h"

#include <stdint.h>
#include <string.h>

enum { DAMAGED = -1 };

struct bits {
    struct source source;
    uint32_t held;
    unsigned holding;
    int missing;   /* were there too few? */
};

/* Symbols in the order of their codes, and how many codes there are of each length. */
struct decoder {
    uint16_t count[MAX_BITS + 1], symbol[LITERALS];
};

static unsigned take_bits(struct bits *bits, unsigned count)
{
    while (bits->holding < count) {
        const unsigned char *byte = source_take(&bits->source, 1);
        if (byte == NULL)
            bits->missing = 1;
        bits->held |= (uint32_t)(byte != NULL ? *byte : 0) << bits->holding;
        bits->holding += 8;
    }
    unsigned value = bits->held & ((UINT32_C(1) << count) - 1);
    bits->held >>= count;
    bits->holding -= count;
    return value;
}

/* False if there are more codes than there is room for; a single code may leave room. */
static int make_decoder(struct decoder *decoder, const unsigned char *length, int symbols)
{
    uint16_t place[MAX_BITS + 2] = {0};
    int left = 1, used = 0;

    memset(decoder->count, 0, sizeof decoder->count);
    for (int s = 0; s < symbols; s++)
        decoder->count[length[s]]++;
    decoder->count[0] = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++) {
        left = 2 * left - decoder->count[bits];
        used += decoder->count[bits];
        if (left < 0)
            return 0;
        place[bits + 1] = (uint16_t)(place[bits] + decoder->count[bits]);
    }
    for (int s = 0; s < symbols; s++)
        if (length[s] != 0)
            decoder->symbol[place[length[s]]++] = (uint16_t)s;
    return left == 0 || used <= 1;
}

static int decode(struct bits *bits, const struct decoder *decoder)
{
    int code = 0, first = 0, index = 0;

    for (int length = 1; length <= MAX_BITS; length++) {
        code |= (int)take_bits(bits, 1);
        int count = decoder->count[length];
        if (code - first < count)
            return decoder->symbol[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return DAMAGED;
}

static int copy_match(struct buffer *out, size_t start, size_t distance, size_t length)
{
    if (distance > out->length - start)
        return 0;
    unsigned char *to = buffer_extend(out, length);
    for (size_t i = 0; i < length; i++)
        to[i] = *(to + i - distance);
    return 1;
}

static int read_tokens(struct bits *bits, struct buffer *out, size_t start, const struct decoder *literals,
                       const struct decoder *distances)
{
    for (;;) {
        int symbol = decode(bits, literals);
        if (symbol < 0 || bits->missing)
            return 0;
        if (symbol == END_OF_BLOCK)
            return 1;
        if (symbol < END_OF_BLOCK) {
            buffer_add_byte(out, (unsigned)symbol);
            continue;
        }
        symbol -= END_OF_BLOCK + 1;
        if (symbol >= LENGTH_CODES)
            return 0;
        size_t length = length_base[symbol] + take_bits(bits, length_extra[symbol]);
        symbol = decode(bits, distances);
        if (symbol < 0 || symbol >= DISTANCE_CODES)
            return 0;
        size_t distance = distance_base[symbol] + take_bits(bits, distance_extra[symbol]);
        if (bits->missing || !copy_match(out, start, distance, length))
            return 0;
    }
}

static int read_stored(struct bits *bits, struct buffer *out)
{
    take_bits(bits, bits->holding % 8);
    unsigned length = take_bits(bits, 16), check = take_bits(bits, 16);
    const unsigned char *data = source_take(&bits->source, length);

    if (bits->missing || (length ^ check) != 0xffff || data == NULL)
        return 0;
    buffer_add(out, data, length);
    return 1;
}

/* The lengths of the codes for lengths come first, then those of both other codes in one list. */
static int read_codes(struct bits *bits, struct decoder *literals, struct decoder *distances)
{
    unsigned char length[LITERALS + 32] = {0}, order[LENGTH_ORDERS] = {0};
    int literal_count = (int)take_bits(bits, 5) + 257, distance_count = (int)take_bits(bits, 5) + 1;
    int orders = (int)take_bits(bits, 4) + 4, at = 0;
    struct decoder lengths;

    for (int i = 0; i < orders; i++)
        order[length_order[i]] = (unsigned char)take_bits(bits, 3);
    if (literal_count > LITERALS - 2 || !make_decoder(&lengths, order, LENGTH_ORDERS))
        return 0;
    while (at < literal_count + distance_count) {
        int symbol = decode(bits, &lengths), run = 1;
        unsigned char value = (unsigned char)symbol;
        if (symbol < 0 || bits->missing)
            return 0;
        if (symbol >= 16) {
            if (symbol == 16 && at == 0)
                return 0;
            value = symbol == 16 ? length[at - 1] : 0;
            run = symbol == 16 ? 3 + (int)take_bits(bits, 2)
                : symbol == 17 ? 3 + (int)take_bits(bits, 3)
                               : 11 + (int)take_bits(bits, 7);
        }
        if (run > literal_count + distance_count - at)
            return 0;
        for (; run > 0; run--)
            length[at++] = value;
    }
    return make_decoder(literals, length, literal_count)
        && make_decoder(distances, length + literal_count, distance_count);
}

static int fixed_codes(struct decoder *literals, struct decoder *distances)
{
    unsigned char length[LITERALS];

    for (int s = 0; s < LITERALS; s++)
        length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    make_decoder(literals, length, LITERALS);
    memset(length, 5, 32);
    return make_decoder(distances, length, 32);
}

int zip_decompress(struct buffer *out, const unsigned char *data, size_t length)
{
    struct bits bits = {{data, length, 0}, 0, 0, 0};
    struct decoder literals, distances;
    size_t start = out->length;
    unsigned last;

    do {
        last = take_bits(&bits, 1);
        unsigned kind = take_bits(&bits, 2);
        if (kind == 0) {
            if (!read_stored(&bits, out))
                return 0;
        } else if (kind == 3
                   || !(kind == 1 ? fixed_codes(&literals, &distances) : read_codes(&bits, &literals, &distances))
                   || !read_tokens(&bits, out, start, &literals, &distances)) {
            return 0;
        }
    } while (!last && !bits.missing);
    return !bits.missing && bits.source.at == length;
}
