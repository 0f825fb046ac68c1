/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stringsearch: finds each line of a file of patterns in a text, with the algorithm of Boyer and
 * Moore (1977; see search.c). Matches may overlap.
 */
#include "search.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_FILE (16 << 20)

struct options {
    int ignore_case;
    int whole_words;
    int lines;             /* print positions as line:column */
    int most;              /* print so many positions a pattern */
    const char *patterns;
    const char *text;
};

/* A file in memory, with where its lines begin. */
struct file {
    unsigned char *text;
    int length;
    int *line;             /* line[i] begins line i; line[lines] is past the end */
    int lines;
};

struct total {
    int patterns;
    int found;             /* patterns that occur */
    long matches;
    uint64_t checksum;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("stringsearch: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: stringsearch [-i] [-w] [-l] [-n MOST] PATTERNS TEXT\n"
         "  -i       ignore the case of letters\n"
         "  -w       whole words only\n"
         "  -l       print positions as line:column, both from 1\n"
         "  -n MOST  print at most MOST positions a pattern (5)",
         complaint);
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->most = 5;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-i") == 0) {
            options->ignore_case = 1;
        } else if (strcmp(argv[i], "-w") == 0) {
            options->whole_words = 1;
        } else if (strcmp(argv[i], "-l") == 0) {
            options->lines = 1;
        } else if (strcmp(argv[i], "-n") == 0) {
            char *end;
            long value;

            if (++i == argc)
                usage("-n needs a number");
            value = strtol(argv[i], &end, 10);
            if (end == argv[i] || *end != '\0' || value < 0 || value > 1000000)
                usage("-n needs a number between 0 and 1000000");
            options->most = (int)value;
        } else if (argv[i][0] == '-') {
            usage("unknown option");
        } else if (options->patterns == NULL) {
            options->patterns = argv[i];
        } else if (options->text == NULL) {
            options->text = argv[i];
        } else {
            usage("more than two files");
        }
    }
    if (options->text == NULL)
        usage("two files are needed");
}

static void read_bytes(struct file *file, const char *path)
{
    FILE *stream = fopen(path, "rb");
    size_t room = 1 << 12, length = 0, got;

    if (stream == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    file->text = malloc(room);
    while (file->text != NULL && (got = fread(file->text + length, 1, room - length, stream)) > 0) {
        length += got;
        if (length > LONGEST_FILE)
            fail("%s is longer than %d bytes", path, LONGEST_FILE);
        if (length == room) {
            room *= 2;
            file->text = realloc(file->text, room);
        }
    }
    if (file->text == NULL)
        fail("out of memory");
    if (ferror(stream))
        fail("cannot read %s", path);
    fclose(stream);
    file->length = (int)length;
}

static void find_lines(struct file *file)
{
    int count = 0, next = 1;

    for (int i = 0; i < file->length; i++)
        count += file->text[i] == '\n';
    if (file->length > 0 && file->text[file->length - 1] != '\n')
        count++;
    file->line = malloc(((size_t)count + 1) * sizeof *file->line);
    if (file->line == NULL)
        fail("out of memory");
    file->lines = count;
    file->line[0] = 0;
    for (int i = 0; i < file->length && next <= count; i++) {
        if (file->text[i] == '\n')
            file->line[next++] = i + 1;
    }
    if (next <= count)
        file->line[next] = file->length + 1;
}

static void read_file(struct file *file, const char *path)
{
    read_bytes(file, path);
    find_lines(file);
}

static void free_file(struct file *file)
{
    free(file->text);
    free(file->line);
}

/* The number, from 0, of the line that a place is on. */
static int line_of(const struct file *file, int place)
{
    int low = 0, high = file->lines;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (file->line[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int is_word(unsigned char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter >= 128;
}

/* A match is of whole words when no word goes on across either of its ends. */
static int on_word_boundaries(const struct file *text, int from, int length)
{
    int to = from + length;

    if (from > 0 && is_word(text->text[from - 1]) && is_word(text->text[from]))
        return 0;
    return to >= text->length || !is_word(text->text[to]) || !is_word(text->text[to - 1]);
}

static void print_pattern(const unsigned char *pattern, int length)
{
    putchar('"');
    for (int i = 0; i < length; i++) {
        if (pattern[i] == '"' || pattern[i] == '\\')
            printf("\\%c", pattern[i]);
        else if (pattern[i] >= ' ' && pattern[i] <= '~')
            putchar(pattern[i]);
        else
            printf("\\x%02x", pattern[i]);
    }
    putchar('"');
}

static void print_place(const struct options *options, const struct file *text, int place)
{
    if (options->lines) {
        int line = line_of(text, place);

        printf(" %d:%d", line + 1, place - text->line[line] + 1);
    } else {
        printf(" %d", place);
    }
}

static void search(const struct options *options, const struct file *text, const unsigned char *pattern,
                   int length, struct total *total, struct effort *effort)
{
    struct matcher matcher;
    int count = 0;
    int *first = malloc(((size_t)options->most + 1) * sizeof *first);
    int place;

    if (first == NULL)
        fail("out of memory");
    prepare(&matcher, pattern, length, options->ignore_case);
    for (place = find(&matcher, text->text, text->length, 0, effort); place != NOT_FOUND;
         place = find(&matcher, text->text, text->length, place + matcher.period, effort)) {
        total->checksum = (total->checksum ^ (uint64_t)place) * 0x100000001b3;
        if (options->whole_words && !on_word_boundaries(text, place, length))
            continue;
        if (count < options->most)
            first[count] = place;
        count++;
    }
    print_pattern(pattern, length);
    printf(": %d%s", count, count > 0 && options->most > 0 ? " at" : "");
    for (int i = 0; i < count && i < options->most; i++)
        print_place(options, text, first[i]);
    putchar('\n');
    total->patterns++;
    total->found += count > 0;
    total->matches += count;
    total->checksum = (total->checksum ^ (uint64_t)matcher.period) * 0x100000001b3;
    free(first);
    free_matcher(&matcher);
}

int main(int argc, char **argv)
{
    struct options options;
    struct file patterns, text;
    struct total total = {0, 0, 0, 0xcbf29ce484222325};
    struct effort effort = {0};

    read_options(&options, argc, argv);
    read_file(&patterns, options.patterns);
    read_file(&text, options.text);
    for (int i = 0; i < patterns.lines; i++) {
        const unsigned char *pattern = patterns.text + patterns.line[i];
        int length = patterns.line[i + 1] - patterns.line[i] - 1;

        if (length > 0 && pattern[length - 1] == '\r')
            length--;
        if (length > 0)
            search(&options, &text, pattern, length, &total, &effort);
    }
    printf("patterns: %d, %d of them found, %ld matches in %d bytes of %d lines\n", total.patterns,
           total.found, total.matches, text.length, text.lines);
    printf("effort: %ld alignments, %ld comparisons, moves by character %ld, by suffix %ld\n",
           effort.alignments, effort.comparisons, effort.by_bad_character, effort.by_good_suffix);
    printf("checksum %016llx\n", (unsigned long long)total.checksum);
    free_file(&patterns);
    free_file(&text);
    return 0;
}
