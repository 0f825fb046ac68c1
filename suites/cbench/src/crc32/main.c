/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32: prints the CRC-32 of files, of their pieces, and of all of them one after the other.
 *
 * Every method is checked against the published check value (CRC-32 of "123456789" is CBF43926)
 * before it is used; with more than one method, their results are compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc.h"

enum { MAX_BLOCK = 65536, METHODS = 3 };

static const struct method {
    const char *name;
    crc_function *update;
} methods[METHODS] = {
    {"bitwise", crc_bitwise},
    {"table", crc_table},
    {"slice8", crc_slice8},
};

struct options {
    const struct method *only; /* NULL: all methods */
    size_t block;              /* bytes read at a time */
    uint64_t piece;            /* bytes of a piece, 0: no pieces */
    int total;                 /* print the check value of all files joined */
};

/* The check values of one file, or of a piece of it. */
struct result {
    uint32_t crc[METHODS];
    uint64_t length;
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "crc32: %s%s\n", complaint, what);
    fputs("usage: crc32 [-t] [-m bitwise|table|slice8|all] [-b BLOCK] [-p PIECE] FILE...\n"
          "  -b BLOCK  read BLOCK bytes at a time (1 to 65536, default 4096)\n"
          "  -m NAME   use one method only (default all, compared with each other)\n"
          "  -p PIECE  print the CRC of every piece of PIECE bytes, too\n"
          "  -t        print the CRC of all files one after the other, too\n", stderr);
    return 2;
}

static int self_test(void)
{
    static const struct vector {
        const char *text;
        uint32_t crc;
    } vectors[] = {
        {"", UINT32_C(0x00000000)},
        {"a", UINT32_C(0xE8B7BE43)},
        {"abc", UINT32_C(0x352441C2)},
        {"123456789", UINT32_C(0xCBF43926)},
        {"The quick brown fox jumps over the lazy dog", UINT32_C(0x414FA339)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const unsigned char *data = (const unsigned char *)vectors[i].text;
        size_t length = strlen(vectors[i].text);
        for (size_t m = 0; m < METHODS; m++) {
            crc_function *update = methods[m].update;
            if (update(0, data, length) != vectors[i].crc) {
                fprintf(stderr, "crc32: self-test of %s failed for \"%s\"\n", methods[m].name,
                        vectors[i].text);
                return 0;
            }
            for (size_t cut = 0; cut <= length; cut++) {
                uint32_t head = update(0, data, cut);
                uint32_t tail = update(0, data + cut, length - cut);
                if (update(head, data + cut, length - cut) != vectors[i].crc
                    || crc_combine(head, tail, length - cut) != vectors[i].crc) {
                    fprintf(stderr, "crc32: self-test of joining failed for \"%s\"\n", vectors[i].text);
                    return 0;
                }
            }
        }
    }
    return 1;
}

static int used(const struct options *options, size_t method)
{
    return options->only == NULL || options->only == &methods[method];
}

static void add_block(const struct options *options, struct result *r, const unsigned char *data, size_t n)
{
    for (size_t m = 0; m < METHODS; m++)
        if (used(options, m))
            r->crc[m] = methods[m].update(r->crc[m], data, n);
    r->length += n;
}

/* The one value that all used methods found; complains when they differ. */
static int agreed(const struct options *options, const struct result *r, const char *path, uint32_t *crc)
{
    int found = 0;
    for (size_t m = 0; m < METHODS; m++) {
        if (!used(options, m))
            continue;
        if (found && r->crc[m] != *crc) {
            fprintf(stderr, "crc32: %s: method %s finds %08" PRIX32 " instead of %08" PRIX32 "\n", path,
                    methods[m].name, r->crc[m], *crc);
            return 0;
        }
        *crc = r->crc[m];
        found = 1;
    }
    return 1;
}

/* Prints a finished piece and joins it to those before it. */
static int end_piece(const struct options *options, const char *path, struct result *piece,
                     struct result *joined, uint64_t number)
{
    uint32_t crc = 0;
    if (!agreed(options, piece, path, &crc))
        return 0;
    printf("  piece %" PRIu64 " %08" PRIX32 " %" PRIu64 "\n", number, crc, piece->length);
    joined->crc[0] = crc_combine(joined->crc[0], crc, piece->length);
    joined->length += piece->length;
    memset(piece, 0, sizeof *piece);
    return 1;
}

/* Reads a file in blocks; `whole` is the result for the file. */
static int process(const struct options *options, FILE *file, const char *path, struct result *whole)
{
    static unsigned char buffer[MAX_BLOCK];
    struct result piece = {{0}, 0}, joined = {{0}, 0};
    uint64_t pieces = 0;
    size_t n;

    memset(whole, 0, sizeof *whole);
    while ((n = fread(buffer, 1, options->block, file)) > 0) {
        add_block(options, whole, buffer, n);
        for (size_t done = 0; options->piece > 0 && done < n;) {
            uint64_t room = options->piece - piece.length;
            size_t take = n - done < room ? n - done : (size_t)room;
            add_block(options, &piece, buffer + done, take);
            done += take;
            if (piece.length == options->piece && !end_piece(options, path, &piece, &joined, pieces++))
                return 0;
        }
    }
    if (ferror(file)) {
        fprintf(stderr, "crc32: cannot read %s: %s\n", path, strerror(errno));
        return 0;
    }
    if (piece.length > 0 && !end_piece(options, path, &piece, &joined, pieces))
        return 0;

    uint32_t crc = 0;
    if (!agreed(options, whole, path, &crc))
        return 0;
    if (options->piece > 0 && (joined.crc[0] != crc || joined.length != whole->length)) {
        fprintf(stderr, "crc32: %s: the pieces do not join to the whole\n", path);
        return 0;
    }
    for (size_t m = 0; m < METHODS; m++)
        whole->crc[m] = crc;
    printf("%08" PRIX32 " %" PRIu64 " %s\n", crc, whole->length, path);
    return 1;
}

static int parse_number(const char *text, uint64_t limit, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-' && *value > 0 && *value <= limit;
}

static const struct method *find_method(const char *name)
{
    for (size_t m = 0; m < METHODS; m++)
        if (strcmp(methods[m].name, name) == 0)
            return &methods[m];
    return NULL;
}

int main(int argc, char **argv)
{
    struct options options = {NULL, 4096, 0, 0};
    uint32_t total = 0;
    uint64_t total_length = 0, number;
    int failed = 0, option;

    opterr = 0;
    while ((option = getopt(argc, argv, "b:m:p:t")) != -1)
        switch (option) {
        case 'b':
            if (!parse_number(optarg, MAX_BLOCK, &number))
                return usage("bad block size ", optarg);
            options.block = (size_t)number;
            break;
        case 'm':
            options.only = find_method(optarg);
            if (options.only == NULL && strcmp(optarg, "all") != 0)
                return usage("unknown method ", optarg);
            break;
        case 'p':
            if (!parse_number(optarg, UINT32_MAX, &options.piece))
                return usage("bad piece size ", optarg);
            break;
        case 't':
            options.total = 1;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }
    if (optind == argc)
        return usage("no file given", "");

    crc_init();
    if (!self_test())
        return 1;
    for (int i = optind; i < argc; i++) {
        struct result whole;
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "crc32: cannot open %s: %s\n", argv[i], strerror(errno));
            failed = 1;
            continue;
        }
        if (process(&options, file, argv[i], &whole)) {
            total = crc_combine(total, whole.crc[0], whole.length);
            total_length += whole.length;
        } else {
            failed = 1;
        }
        fclose(file);
    }
    if (options.total)
        printf("%08" PRIX32 " %" PRIu64 " total\n", total, total_length);
    return failed || fflush(stdout) != 0;
}
