/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression to raw DEFLATE streams (RFC 1951): the longest match of a hash chain, put off by one
 * byte if the next one is longer, then Huffman codes.
 */
#include "buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 8192, HASHES = 8192, MIN_MATCH = 3, MAX_MATCH = 258, CHAIN = 48, GOOD_MATCH = 64,
    BLOCK_TOKENS = 12000, MAX_STORED = 65535, NOWHERE = -1
};

const unsigned short length_base[LENGTH_CODES] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
const unsigned char length_extra[LENGTH_CODES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
const unsigned short distance_base[DISTANCE_CODES] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                                      33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
const unsigned char distance_extra[DISTANCE_CODES] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                      6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
const unsigned char length_order[LENGTH_ORDERS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

struct zip_effort zip_effort;

/* A literal, or a match with its distance. */
struct token {
    uint16_t value; /* a byte, or a length */
    uint16_t distance;
};

struct code {
    unsigned char length[LITERALS];
    uint16_t bits[LITERALS]; /* reversed, as they are sent */
};

struct compressor {
    struct buffer *out;
    uint64_t held;           /* bits that are no whole byte yet */
    unsigned holding;
    const unsigned char *data;
    size_t length;
    int64_t head[HASHES], previous[WINDOW];
    struct token token[BLOCK_TOKENS];
    size_t tokens;
    uint32_t literal_count[LITERALS], distance_count[DISTANCE_CODES];
};

static void put(struct compressor *c, unsigned bits, unsigned count)
{
    c->held |= (uint64_t)bits << c->holding;
    for (c->holding += count; c->holding >= 8; c->holding -= 8) {
        buffer_add_byte(c->out, (unsigned)(c->held & 0xff));
        c->held >>= 8;
    }
}

static int length_code(unsigned length)
{
    int code = LENGTH_CODES - 1;
    while (length_base[code] > length)
        code--;
    return code;
}

static int distance_code(unsigned distance)
{
    int low = 0, high = DISTANCE_CODES - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (distance_base[middle] <= distance)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* --- Huffman codes */

/* Depths in Huffman's tree of the symbols in ascending order of their counts; the greatest one. */
static int tree_depths(const uint32_t *count, int leaves, unsigned char *depth)
{
    uint32_t weight[2 * LITERALS];
    int parent[2 * LITERALS], level[2 * LITERALS], leaf = 0, inner = leaves, next = leaves, deepest = 0;

    for (int i = 0; i < leaves; i++)
        weight[i] = count[i];
    for (; next < 2 * leaves - 1; next++) {
        weight[next] = 0;
        for (int child = 0; child < 2; child++) {
            int taken = leaf < leaves && (inner == next || weight[leaf] <= weight[inner]) ? leaf++ : inner++;
            weight[next] += weight[taken];
            parent[taken] = next;
        }
    }
    level[next - 1] = 0;
    for (int i = next - 2; i >= 0; i--) {
        level[i] = level[parent[i]] + 1;
        if (i < leaves) {
            depth[i] = (unsigned char)level[i];
            if (level[i] > deepest)
                deepest = level[i];
        }
    }
    return deepest;
}

/* Lengths of at most `limit` bits, at least two of them: the counts are made more equal until they fit. */
static void make_lengths(const uint32_t *count, int symbols, int limit, unsigned char *length)
{
    uint32_t sorted[LITERALS];
    int symbol[LITERALS], used = 0;
    unsigned char depth[LITERALS];

    memset(length, 0, (size_t)symbols);
    for (int s = 0; s < symbols; s++)
        if (count[s] > 0) {
            int at = used++;
            for (; at > 0 && sorted[at - 1] > count[s]; at--) {
                sorted[at] = sorted[at - 1];
                symbol[at] = symbol[at - 1];
            }
            sorted[at] = count[s];
            symbol[at] = s;
        }
    if (used < 2) {
        length[0] = 1;
        length[used == 1 && symbol[0] > 0 ? symbol[0] : 1] = 1;
        return;
    }
    while (tree_depths(sorted, used, depth) > limit)
        for (int i = 0; i < used; i++)
            sorted[i] = sorted[i] / 2 + 1;
    for (int i = 0; i < used; i++)
        length[symbol[i]] = depth[i];
}

static void make_code(struct code *code, int symbols)
{
    unsigned next[MAX_BITS + 2] = {0}, count[MAX_BITS + 1] = {0};

    for (int s = 0; s < symbols; s++)
        count[code->length[s]]++;
    count[0] = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++)
        next[bits + 1] = (next[bits] + count[bits]) << 1;
    for (int s = 0; s < symbols; s++) {
        unsigned value = code->length[s] > 0 ? next[code->length[s]]++ : 0, reversed = 0;
        for (int bit = 0; bit < code->length[s]; bit++)
            reversed |= (value >> bit & 1) << (code->length[s] - 1 - bit);
        code->bits[s] = (uint16_t)reversed;
    }
}

/* --- blocks */

static void fixed_codes(struct code *literals, struct code *distances)
{
    for (int s = 0; s < LITERALS; s++)
        literals->length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    memset(distances->length, 5, DISTANCE_CODES);
    make_code(literals, LITERALS);
    make_code(distances, DISTANCE_CODES);
}

/* Bits that the tokens take. */
static uint64_t cost(const struct compressor *c, const struct code *literals, const struct code *distances)
{
    uint64_t bits = 0;

    for (int s = 0; s < LITERALS; s++)
        bits += (uint64_t)c->literal_count[s]
              * (literals->length[s] + (s > END_OF_BLOCK && s - END_OF_BLOCK <= LENGTH_CODES
                                            ? (unsigned)length_extra[s - END_OF_BLOCK - 1] : 0u));
    for (int s = 0; s < DISTANCE_CODES; s++)
        bits += (uint64_t)c->distance_count[s] * (distances->length[s] + (unsigned)distance_extra[s]);
    return bits;
}

/* A table of code lengths as symbols of 0 to 18, runs shortened. */
struct lengths {
    int literals, distances, orders;
    size_t symbols;
    unsigned char symbol[LITERALS + DISTANCE_CODES], extra[LITERALS + DISTANCE_CODES];
    struct code code;
    uint64_t bits;
};

static void add_length(struct lengths *table, uint32_t *count, int symbol, int extra)
{
    table->symbol[table->symbols] = (unsigned char)symbol;
    table->extra[table->symbols++] = (unsigned char)extra;
    count[symbol]++;
    table->bits += symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

static void describe(const struct code *literals, const struct code *distances, struct lengths *table)
{
    unsigned char all[LITERALS + DISTANCE_CODES];
    uint32_t count[LENGTH_ORDERS] = {0};
    int total, run;

    memset(table, 0, sizeof *table);
    table->literals = END_OF_BLOCK + 1 + LENGTH_CODES;
    table->distances = DISTANCE_CODES;
    while (table->literals > 257 && literals->length[table->literals - 1] == 0)
        table->literals--;
    while (table->distances > 1 && distances->length[table->distances - 1] == 0)
        table->distances--;
    memcpy(all, literals->length, (size_t)table->literals);
    memcpy(all + table->literals, distances->length, (size_t)table->distances);
    total = table->literals + table->distances;
    for (int i = 0; i < total; i += run) {
        for (run = 1; i + run < total && all[i + run] == all[i] && run < 138; run++)
            ;
        if (all[i] == 0 && run >= 11) {
            add_length(table, count, 18, run - 11);
        } else if (all[i] == 0 && run >= 3) {
            add_length(table, count, 17, run - 3);
        } else if (all[i] != 0 && i > 0 && all[i - 1] == all[i] && run >= 3) {
            run = run > 6 ? 6 : run;
            add_length(table, count, 16, run - 3);
        } else {
            run = 1;
            add_length(table, count, all[i], 0);
        }
    }
    make_lengths(count, LENGTH_ORDERS, 7, table->code.length);
    make_code(&table->code, LENGTH_ORDERS);
    table->orders = LENGTH_ORDERS;
    while (table->orders > 4 && table->code.length[length_order[table->orders - 1]] == 0)
        table->orders--;
    table->bits += 14 + 3 * (uint64_t)table->orders;
    for (int s = 0; s < LENGTH_ORDERS; s++)
        table->bits += (uint64_t)count[s] * table->code.length[s];
}

static void put_table(struct compressor *c, const struct lengths *table)
{
    put(c, (unsigned)table->literals - 257, 5);
    put(c, (unsigned)table->distances - 1, 5);
    put(c, (unsigned)table->orders - 4, 4);
    for (int i = 0; i < table->orders; i++)
        put(c, table->code.length[length_order[i]], 3);
    for (size_t i = 0; i < table->symbols; i++) {
        unsigned symbol = table->symbol[i];
        put(c, table->code.bits[symbol], table->code.length[symbol]);
        put(c, table->extra[i], symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0);
    }
}

static void put_tokens(struct compressor *c, const struct code *literals, const struct code *distances)
{
    for (size_t i = 0; i < c->tokens; i++) {
        const struct token *token = &c->token[i];
        if (token->distance == 0) {
            put(c, literals->bits[token->value], literals->length[token->value]);
            continue;
        }
        int code = length_code(token->value), symbol = END_OF_BLOCK + 1 + code;
        put(c, literals->bits[symbol], literals->length[symbol]);
        put(c, (unsigned)token->value - length_base[code], length_extra[code]);
        code = distance_code(token->distance);
        put(c, distances->bits[code], distances->length[code]);
        put(c, (unsigned)token->distance - distance_base[code], distance_extra[code]);
    }
    put(c, literals->bits[END_OF_BLOCK], literals->length[END_OF_BLOCK]);
}

/* The bytes as they are, in pieces if they are many. */
static void put_stored(struct compressor *c, size_t start, size_t end, int last)
{
    do {
        size_t piece = end - start > MAX_STORED ? MAX_STORED : end - start;
        put(c, last && start + piece == end, 1);
        put(c, 0, 2);
        put(c, 0, (8 - c->holding % 8) % 8);
        put(c, (unsigned)piece, 16);
        put(c, (unsigned)piece ^ 0xffff, 16);
        buffer_add(c->out, c->data + start, piece);
        start += piece;
        zip_effort.stored++;
    } while (start < end);
}

/* The tokens of the bytes from start to end, in the shortest of the three forms. */
static void end_block(struct compressor *c, size_t start, size_t end, int last)
{
    static struct code fixed_literals, fixed_distances;
    struct code literals, distances;
    struct lengths table;
    uint64_t fixed, dynamic;

    if (fixed_literals.length[0] == 0)
        fixed_codes(&fixed_literals, &fixed_distances);
    memset(&literals, 0, sizeof literals);
    memset(&distances, 0, sizeof distances);
    c->literal_count[END_OF_BLOCK] = 1;
    make_lengths(c->literal_count, END_OF_BLOCK + 1 + LENGTH_CODES, MAX_BITS, literals.length);
    make_lengths(c->distance_count, DISTANCE_CODES, MAX_BITS, distances.length);
    make_code(&literals, LITERALS);
    make_code(&distances, DISTANCE_CODES);
    describe(&literals, &distances, &table);
    fixed = cost(c, &fixed_literals, &fixed_distances);
    dynamic = cost(c, &literals, &distances) + table.bits;
    if (8 * (uint64_t)(end - start + 5) < (fixed < dynamic ? fixed : dynamic)) {
        put_stored(c, start, end, last);
    } else {
        put(c, (unsigned)last, 1);
        put(c, fixed <= dynamic ? 1 : 2, 2);
        if (fixed <= dynamic) {
            put_tokens(c, &fixed_literals, &fixed_distances);
            zip_effort.fixed++;
        } else {
            put_table(c, &table);
            put_tokens(c, &literals, &distances);
            zip_effort.dynamic++;
        }
    }
    c->tokens = 0;
    memset(c->literal_count, 0, sizeof c->literal_count);
    memset(c->distance_count, 0, sizeof c->distance_count);
}

/* --- matches */

static unsigned hash_at(const struct compressor *c, size_t at)
{
    const unsigned char *p = c->data + at;
    return ((uint32_t)p[0] << 10 ^ (uint32_t)p[1] << 5 ^ p[2]) * UINT32_C(40503) >> 4 & (HASHES - 1);
}

static void remember(struct compressor *c, size_t at)
{
    if (c->length - at >= MIN_MATCH) {
        unsigned hash = hash_at(c, at);
        c->previous[at % WINDOW] = c->head[hash];
        c->head[hash] = (int64_t)at;
    }
}

/* The longest match with what came before; of equals the nearest. */
static unsigned find_match(const struct compressor *c, size_t at, unsigned *distance)
{
    size_t most = c->length - at < MAX_MATCH ? c->length - at : MAX_MATCH, best = 0;
    const unsigned char *here = c->data + at;
    int64_t candidate;
    int tries = CHAIN;

    if (most < MIN_MATCH)
        return 0;
    for (candidate = c->head[hash_at(c, at)]; candidate != NOWHERE && at - (size_t)candidate < WINDOW && tries > 0;
         candidate = c->previous[(size_t)candidate % WINDOW], tries--) {
        const unsigned char *there = c->data + candidate;
        size_t same = 0;
        if (best > 0 && there[best] != here[best])
            continue;
        while (same < most && there[same] == here[same])
            same++;
        if (same > best) {
            best = same;
            *distance = (unsigned)(at - (size_t)candidate);
            if (best == most || best >= GOOD_MATCH)
                break;
        }
    }
    return best >= MIN_MATCH ? (unsigned)best : 0;
}

static void add_token(struct compressor *c, unsigned value, unsigned distance)
{
    c->token[c->tokens++] = (struct token){(uint16_t)value, (uint16_t)distance};
    if (distance == 0) {
        c->literal_count[value]++;
        zip_effort.literals++;
    } else {
        c->literal_count[END_OF_BLOCK + 1 + length_code(value)]++;
        c->distance_count[distance_code(distance)]++;
        zip_effort.matches++;
    }
}

void zip_compress(struct buffer *out, const unsigned char *data, size_t length)
{
    struct compressor *c = calloc(1, sizeof *c);
    size_t start = 0, at = 0;
    unsigned distance = 0, match = 0;

    if (c == NULL) {
        fputs("pgp: not enough memory\n", stderr);
        exit(2);
    }
    c->out = out;
    c->data = data;
    c->length = length;
    for (size_t i = 0; i < HASHES; i++)
        c->head[i] = NOWHERE;
    if (length > 0)
        match = find_match(c, 0, &distance);
    while (at < length) {
        unsigned next_distance = 0, next_match = 0, skipped = 1;

        remember(c, at);
        if (match < GOOD_MATCH && at + 1 < length)
            next_match = find_match(c, at + 1, &next_distance);
        if (match == 0 || next_match > match) {
            add_token(c, data[at], 0);
        } else {
            add_token(c, match, distance);
            for (; skipped < match; skipped++)
                remember(c, at + skipped);
            next_match = at + match < length ? find_match(c, at + match, &next_distance) : 0;
        }
        at += skipped;
        match = next_match;
        distance = next_distance;
        if (c->tokens == BLOCK_TOKENS) {
            end_block(c, start, at, at == length);
            start = at;
        }
    }
    if (start < length || length == 0)
        end_block(c, start, length, 1);
    put(c, 0, (8 - c->holding % 8) % 8);
    free(c);
}
