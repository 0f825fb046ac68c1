/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitcount: counts the one bits of a pseudo-random sequence and of files with several methods,
 * called through a table of function pointers, and checks that all of them agree.
 *
 * The sequence is Marsaglia's xorshift generator with the shifts 13, 17, 5 ("Xorshift RNGs",
 * Journal of Statistical Software 8(14), 2003).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "methods.h"

enum { CHUNK = 1024 };

/* What a method finds in a source of words. */
struct tally {
    uint64_t words;
    uint64_t ones;
    uint64_t weighted;       /* sum of (position + 1) * count, which depends on the order */
    uint64_t histogram[33];  /* words by their number of ones */
};

/* A sequence of words that is made, not read. */
enum kind { RANDOM, COUNTER, SPARSE, DENSE };
static const char *const kind_names[] = {"random", "counter", "sparse", "dense"};

struct sequence {
    enum kind kind;
    uint32_t state;
    uint32_t index;
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "bitcount: %s%s\n", complaint, what);
    fputs("usage: bitcount [-v] [-m METHOD] [-n COUNT] [-q KIND] [-r SEED] [FILE...]\n"
          "  -m METHOD  use one method only: shift, clear, nibbles, nibbles-rec, bytes, halves,\n"
          "             recursive, parallel, multiply or remainder (default all)\n"
          "  -n COUNT   words of the sequence (default 1000, 0 for none)\n"
          "  -q KIND    sequence: random, counter, sparse or dense (default random)\n"
          "  -r SEED    seed of the sequence, not 0 (default 1)\n"
          "  -v         print histograms\n", stderr);
    return 2;
}

static uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static uint32_t next_word(struct sequence *sequence)
{
    uint32_t word = next_random(&sequence->state);
    switch (sequence->kind) {
    case RANDOM:
        break;
    case COUNTER:
        word = sequence->index++;
        break;
    case SPARSE:
        word &= next_random(&sequence->state);
        word &= next_random(&sequence->state);
        break;
    case DENSE:
        word |= next_random(&sequence->state);
        word |= next_random(&sequence->state);
        break;
    }
    return word;
}

static int self_test(void)
{
    static const struct vector {
        uint32_t word;
        int ones;
    } vectors[] = {
        {0, 0}, {1, 1}, {0x80000000, 1}, {0x0000FFFF, 16}, {0xAAAAAAAA, 16}, {0x01234567, 12},
        {0x89ABCDEF, 20}, {0xFFFFFFFE, 31}, {0xFFFFFFFF, 32},
    };
    for (size_t m = 0; m < METHODS; m++) {
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
            if (methods[m].count(vectors[i].word) != vectors[i].ones) {
                fprintf(stderr, "bitcount: self-test of %s failed for %08" PRIX32 "\n", methods[m].name,
                        vectors[i].word);
                return 0;
            }
        for (int shift = 0; shift < 32; shift++)
            if (methods[m].count(UINT32_C(1) << shift) != 1) {
                fprintf(stderr, "bitcount: self-test of %s failed for bit %d\n", methods[m].name, shift);
                return 0;
            }
    }
    uint32_t state = 2463534242; /* the seed and the first number of Marsaglia's paper */
    if (next_random(&state) != 723471715) {
        fputs("bitcount: self-test of the sequence failed\n", stderr);
        return 0;
    }
    return 1;
}

static void count_words(count_function *count, const uint32_t *words, size_t n, struct tally *tally)
{
    for (size_t i = 0; i < n; i++) {
        int ones = count(words[i]);
        tally->ones += (uint64_t)ones;
        tally->weighted += ++tally->words * (uint64_t)ones;
        tally->histogram[ones]++;
    }
}

static void count_chunk(const struct method *only, const uint32_t *words, size_t n, struct tally *tallies)
{
    for (size_t m = 0; m < METHODS; m++)
        if (only == NULL || only == &methods[m])
            count_words(methods[m].count, words, n, &tallies[m]);
}

static void print_histogram(const struct tally *tally)
{
    for (int ones = 0; ones <= 32; ones++)
        if (tally->histogram[ones] > 0)
            printf("  %2d %" PRIu64 "\n", ones, tally->histogram[ones]);
}

/* Prints what the methods found in a source; false when two of them differ. */
static int report(const char *source, const struct method *only, const struct tally *tallies, int verbose)
{
    const struct tally *first = NULL;
    for (size_t m = 0; m < METHODS; m++) {
        const struct tally *tally = &tallies[m];
        if (only != NULL && only != &methods[m])
            continue;
        printf("%s %s: %" PRIu64 " words, %" PRIu64 " ones, sum %016" PRIX64 "\n", source, methods[m].name,
               tally->words, tally->ones, tally->weighted);
        if (first == NULL) {
            first = tally;
            if (verbose)
                print_histogram(tally);
        } else if (memcmp(first, tally, sizeof *tally) != 0) {
            fprintf(stderr, "bitcount: %s: %s differs from the methods before it\n", source, methods[m].name);
            return 0;
        }
    }
    return 1;
}

static int count_sequence(struct sequence sequence, uint64_t n, const struct method *only, int verbose)
{
    static struct tally tallies[METHODS];
    uint32_t words[CHUNK];

    while (n > 0) {
        size_t fill = n < CHUNK ? (size_t)n : CHUNK;
        for (size_t i = 0; i < fill; i++)
            words[i] = next_word(&sequence);
        count_chunk(only, words, fill, tallies);
        n -= fill;
    }
    return report(kind_names[sequence.kind], only, tallies, verbose);
}

/* A file is taken as words of four bytes, the least significant first; zeros fill the last one. */
static int count_file(const char *path, const struct method *only, int verbose)
{
    struct tally tallies[METHODS];
    unsigned char bytes[4 * CHUNK];
    uint32_t words[CHUNK];
    size_t n;
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        fprintf(stderr, "bitcount: cannot open %s: %s\n", path, strerror(errno));
        return 0;
    }
    memset(tallies, 0, sizeof tallies);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) {
        size_t fill = (n + 3) / 4;
        memset(bytes + n, 0, 4 * fill - n);
        for (size_t i = 0; i < fill; i++)
            words[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8
                     | (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
        count_chunk(only, words, fill, tallies);
    }
    if (ferror(file)) {
        fprintf(stderr, "bitcount: cannot read %s: %s\n", path, strerror(errno));
        fclose(file);
        return 0;
    }
    fclose(file);
    return report(path, only, tallies, verbose);
}

static int parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-' && *value >= low && *value <= high;
}

static const struct method *find_method(const char *name)
{
    for (size_t m = 0; m < METHODS; m++)
        if (strcmp(methods[m].name, name) == 0)
            return &methods[m];
    return NULL;
}

static int find_kind(const char *name, enum kind *kind)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (strcmp(kind_names[i], name) == 0) {
            *kind = (enum kind)i;
            return 1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct sequence sequence = {RANDOM, 1, 0};
    const struct method *only = NULL;
    uint64_t count = 1000, seed;
    int verbose = 0, failed = 0, option;

    opterr = 0;
    while ((option = getopt(argc, argv, "m:n:q:r:v")) != -1)
        switch (option) {
        case 'm':
            only = find_method(optarg);
            if (only == NULL && strcmp(optarg, "all") != 0)
                return usage("unknown method ", optarg);
            break;
        case 'n':
            if (!parse_number(optarg, 0, UINT32_MAX, &count))
                return usage("bad count ", optarg);
            break;
        case 'q':
            if (!find_kind(optarg, &sequence.kind))
                return usage("unknown kind of sequence ", optarg);
            break;
        case 'r':
            if (!parse_number(optarg, 1, UINT32_MAX, &seed))
                return usage("bad seed ", optarg);
            sequence.state = sequence.index = (uint32_t)seed;
            break;
        case 'v':
            verbose = 1;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }

    methods_init();
    if (!self_test())
        return 1;
    if (count > 0 && !count_sequence(sequence, count, only, verbose))
        failed = 1;
    for (int i = optind; i < argc; i++)
        if (!count_file(argv[i], only, verbose))
            failed = 1;
    return failed || fflush(stdout) != 0;
}
