/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stringsearch2: finds each line of a file of patterns in a text, in four ways: Horspool, Knuth,
 * Morris and Pratt, Shift-Or, and Aho and Corasick for all patterns at once. The program exits
 * with status 1 unless they agree on every place.
 */
#include "search.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_FILE (16 << 20)
#define LONGEST_PATTERNS (256 << 10)

typedef steps search_one(struct string text, struct string pattern, struct places *places);

static const struct algorithm {
    const char *name;
    char letter;
    search_one *search;        /* NULL: the one that takes the whole set */
} algorithms[] = {
    {"aho-corasick", 'a', NULL},
    {"horspool", 'h', search_horspool},
    {"knuth-morris-pratt", 'k', search_kmp},
    {"shift-or", 's', search_shift_or},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

struct options {
    int chosen[ALGORITHMS];
    int ignore_case;
    int most;                  /* print so many places a pattern */
    const char *patterns;
    const char *text;
};

struct set {
    struct string *pattern;
    int count;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("stringsearch2: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(int count, int size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, (size_t)size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

void add_place(struct places *places, int place)
{
    /* Grow when the count is a power of two. */
    if ((places->count & (places->count - 1)) == 0) {
        size_t room = places->count > 0 ? 2 * (size_t)places->count : 1;

        places->place = realloc(places->place, room * sizeof *places->place);
        if (places->place == NULL)
            fail("out of memory");
    }
    places->place[places->count++] = place;
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: stringsearch2 [-i] [-a LETTERS] [-n MOST] PATTERNS TEXT\n"
         "  -i          ignore the case of letters\n"
         "  -a LETTERS  algorithms: a Aho-Corasick, h Horspool, k Knuth-Morris-Pratt, s Shift-Or (ahks)\n"
         "  -n MOST     print at most MOST places a pattern (5)",
         complaint);
}

static void choose(struct options *options, const char *letters)
{
    memset(options->chosen, 0, sizeof options->chosen);
    if (*letters == '\0')
        usage("-a needs at least one letter");
    for (; *letters != '\0'; letters++) {
        int i = 0;

        while (i < ALGORITHMS && algorithms[i].letter != *letters)
            i++;
        if (i == ALGORITHMS)
            usage("-a has an unknown letter");
        options->chosen[i] = 1;
    }
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    choose(options, "ahks");
    options->most = 5;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];

        if (strcmp(argument, "-i") == 0) {
            options->ignore_case = 1;
        } else if (strcmp(argument, "-a") == 0 || strcmp(argument, "-n") == 0) {
            if (++i == argc)
                usage("there is nothing after an option");
            if (argument[1] == 'a') {
                choose(options, argv[i]);
            } else {
                char *end;
                long value = strtol(argv[i], &end, 10);

                if (end == argv[i] || *end != '\0' || value < 0 || value > 1000000)
                    usage("-n needs a number between 0 and 1000000");
                options->most = (int)value;
            }
        } else if (argument[0] == '-') {
            usage("unknown option");
        } else if (options->patterns == NULL) {
            options->patterns = argument;
        } else if (options->text == NULL) {
            options->text = argument;
        } else {
            usage("more than two files");
        }
    }
    if (options->text == NULL)
        usage("two files are needed");
}

static unsigned char *read_file(const char *path, int limit, int *length)
{
    FILE *file = fopen(path, "rb");
    unsigned char *letters;
    size_t room = 1 << 12, used = 0, got;

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    letters = malloc(room);
    while (letters != NULL && (got = fread(letters + used, 1, room - used, file)) > 0) {
        used += got;
        if (used > (size_t)limit)
            fail("%s is longer than %d bytes", path, limit);
        if (used == room) {
            room *= 2;
            letters = realloc(letters, room);
        }
    }
    if (letters == NULL)
        fail("out of memory");
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    *length = (int)used;
    return letters;
}

static void fold(unsigned char *letters, int length)
{
    for (int i = 0; i < length; i++) {
        if (letters[i] >= 'A' && letters[i] <= 'Z')
            letters[i] = (unsigned char)(letters[i] - 'A' + 'a');
    }
}

/* Each line that is not empty is a pattern; the strings stay where they are in the file. */
static void split_lines(struct set *set, const unsigned char *letters, int length)
{
    int lines = 1, start = 0;

    for (int i = 0; i < length; i++)
        lines += letters[i] == '\n';
    set->pattern = allocate(lines, sizeof *set->pattern);
    set->count = 0;
    while (start < length) {
        int end = start, stop;

        while (end < length && letters[end] != '\n')
            end++;
        stop = end > start && letters[end - 1] == '\r' ? end - 1 : end;
        if (stop > start) {
            set->pattern[set->count].letters = letters + start;
            set->pattern[set->count].length = stop - start;
            set->count++;
        }
        start = end + 1;
    }
}

static steps run(const struct algorithm *algorithm, struct string text, const struct set *set,
                 struct places *places)
{
    steps taken = 0;

    if (algorithm->search == NULL)
        return search_set(text, set->pattern, set->count, places);
    for (int i = 0; i < set->count; i++)
        taken += algorithm->search(text, set->pattern[i], &places[i]);
    return taken;
}

static void check_agreement(const struct places *places, const struct places *others, const struct set *set,
                            const char *name)
{
    for (int i = 0; i < set->count; i++) {
        int agree = places[i].count == others[i].count;

        for (int j = 0; agree && j < places[i].count; j++)
            agree = places[i].place[j] == others[i].place[j];
        if (!agree) {
            printf("%s disagrees on pattern %d: %d places, not %d\n", name, i, others[i].count,
                   places[i].count);
            exit(1);
        }
    }
}

static void free_places(struct places *places, int count)
{
    for (int i = 0; i < count; i++)
        free(places[i].place);
    free(places);
}

static void print_string(struct string string)
{
    putchar('"');
    for (int i = 0; i < string.length; i++) {
        unsigned char letter = string.letters[i];

        if (letter == '"' || letter == '\\')
            printf("\\%c", letter);
        else if (letter >= ' ' && letter <= '~')
            putchar(letter);
        else
            printf("\\x%02x", letter);
    }
    putchar('"');
}

static void print_places(const struct places *places, const struct set *set, int most)
{
    uint64_t checksum = 0xcbf29ce484222325;
    long matches = 0;
    int found = 0;

    for (int i = 0; i < set->count; i++) {
        print_string(set->pattern[i]);
        printf(": %d%s", places[i].count, places[i].count > 0 && most > 0 ? " at" : "");
        for (int j = 0; j < places[i].count; j++) {
            if (j < most)
                printf(" %d", places[i].place[j]);
            checksum = (checksum ^ (uint64_t)places[i].place[j]) * 0x100000001b3;
        }
        putchar('\n');
        matches += places[i].count;
        found += places[i].count > 0;
    }
    printf("patterns: %d, %d of them found, %ld matches\n", set->count, found, matches);
    printf("checksum %016llx\n", (unsigned long long)checksum);
}

int main(int argc, char **argv)
{
    struct options options;
    struct string text;
    struct set set;
    struct places *agreed = NULL;
    unsigned char *patterns, *letters;
    int length;

    read_options(&options, argc, argv);
    patterns = read_file(options.patterns, LONGEST_PATTERNS, &length);
    letters = read_file(options.text, LONGEST_FILE, &text.length);
    if (options.ignore_case) {
        fold(patterns, length);
        fold(letters, text.length);
    }
    text.letters = letters;
    split_lines(&set, patterns, length);
    for (int i = 0; i < ALGORITHMS; i++) {
        struct places *places;

        if (!options.chosen[i])
            continue;
        places = allocate(set.count, sizeof *places);
        printf("%s: %ld steps\n", algorithms[i].name, run(&algorithms[i], text, &set, places));
        if (agreed == NULL) {
            agreed = places;
        } else {
            check_agreement(agreed, places, &set, algorithms[i].name);
            free_places(places, set.count);
        }
    }
    print_places(agreed, &set, options.most);
    free_places(agreed, set.count);
    free(set.pattern);
    free(patterns);
    free(letters);
    return 0;
}
