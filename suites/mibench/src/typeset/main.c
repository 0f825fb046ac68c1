/* SPDX-License-Identifier: Apache-2.0 */
/*
 * typeset: plain text to justified lines and pages. Each paragraph is first tried without breaking
 * words, then with hyphens, and at last with a line that does not fit. With -v the least demerits
 * are found a second time in a plainer way, and a difference ends the program with status 1.
 */
#include "output.h"
#include "typeset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUB_PENALTY 150    /* a page that ends after a paragraph's first line */
#define WIDOW_PENALTY 150   /* or before its last */
#define BROKEN_PENALTY 100  /* or with a hyphen */

struct options {
    int measure, runs, step, rows, print, verify, list;
    struct style style;
    const char *patterns, *text;
};

struct document {
    struct paragraph *paragraphs;
    size_t count;
    char *text;
};

/* What one run over the text came to. */
struct totals {
    long lines, hyphens, possible, first_pass, second_pass, forced;
    int64_t demerits;
};

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: typeset [options] PATTERNS TEXT\n"
         "  -w POINTS      width of a line (345)     -n COUNT   set the text COUNT times (1),\n"
         "  -r ROWS        height of a page (46)     -s POINTS  each line so much narrower (1)\n"
         "  -t BADNESS     tolerance (1000)          -l LINES   looseness (0), may be negative\n"
         "  -p  PostScript   -v  verify   -h  list the words of TEXT with their hyphens instead",
         complaint);
}

static int number_after(int argc, char **argv, int *index, int least, int most)
{
    char *end;
    long value;

    if (*index + 1 >= argc)
        usage("an option needs a number after it");
    value = strtol(argv[++*index], &end, 10);
    if (*end != '\0' || end == argv[*index] || value < least || value > most)
        usage("an option's number is out of range");
    return (int)value;
}

static void read_options(struct options *options, int argc, char **argv)
{
    *options = (struct options){.measure = 345, .runs = 1, .step = 1, .rows = 46,
                                .style = {.tolerance = 1000, .pretolerance = 100, .line_penalty = 10,
                                          .fitness_demerits = 10000, .hyphens_demerits = 10000}};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (options->patterns == NULL)
                options->patterns = argv[i];
            else if (options->text == NULL)
                options->text = argv[i];
            else
                usage("more than two files");
            continue;
        }
        switch (argv[i][1] != '\0' && argv[i][2] == '\0' ? argv[i][1] : '?') {
        case 'w': options->measure = number_after(argc, argv, &i, 40, 2000); break;
        case 'n': options->runs = number_after(argc, argv, &i, 1, 10000); break;
        case 's': options->step = number_after(argc, argv, &i, 0, 1000); break;
        case 'r': options->rows = number_after(argc, argv, &i, 3, 1000); break;
        case 't': options->style.tolerance = number_after(argc, argv, &i, 1, INFINITE); break;
        case 'l': options->style.looseness = number_after(argc, argv, &i, -5, 5); break;
        case 'p': options->print = 1; break;
        case 'v': options->verify = 1; break;
        case 'h': options->list = 1; break;
        default: usage("unknown option");
        }
    }
    if (options->text == NULL)
        usage("two files are needed");
    if (options->measure - (options->runs - 1) * options->step < 40)
        usage("the last run's lines would be too narrow");
}

/* Paragraphs end at empty lines; inside them, white space becomes one space. Done in place. */
static void read_document(struct document *document, const char *path)
{
    size_t length, out = 0, start = 0, room = 0;
    int newlines = 0, spaces = 0;

    *document = (struct document){0};
    document->text = read_file(path, &length);
    for (size_t i = 0; i <= length; i++) {
        unsigned char byte = (unsigned char)document->text[i];

        if (i < length && (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')) {
            newlines += byte == '\n';
            spaces++;
            continue;
        }
        if (i < length && (byte < ' ' || byte > '~'))
            fail("%s: byte %zu is no printable character", path, i);
        if ((newlines > 1 || i == length) && out > start) {
            if (document->count == room) {
                room = room ? 2 * room : 64;
                document->paragraphs = enlarge(document->paragraphs, room, sizeof *document->paragraphs);
            }
            document->paragraphs[document->count++] =
                (struct paragraph){.text = document->text + start, .length = out - start};
            start = out;
        } else if (spaces > 0 && out > start) {
            document->text[out++] = ' ';
        }
        newlines = spaces = 0;
        document->text[out++] = (char)byte;
    }
    if (document->count == 0)
        fail("%s: there is no text", path);
}

/* The words of the document, each with its hyphens. */
static void list_words(const struct document *document, const struct hyphenator *hyphenator)
{
    for (size_t p = 0; p < document->count; p++) {
        const char *text = document->paragraphs[p].text;
        size_t length = document->paragraphs[p].length, from = 0;

        while (from < length) {
            char lower[LONGEST_WORD + 1];
            unsigned char breaks[LONGEST_WORD + 1];
            size_t count = 0;

            while (from + count < length && count < LONGEST_WORD &&
                   ((text[from + count] | 32) >= 'a' && (text[from + count] | 32) <= 'z')) {
                lower[count] = (char)(text[from + count] | 32);
                count++;
            }
            if (count > 0) {
                hyphenate(hyphenator, lower, count, breaks);
                for (size_t i = 0; i < count; i++) {
                    if (breaks[i])
                        putchar('-');
                    putchar(lower[i]);
                }
                putchar('\n');
            }
            from += count + 1;
        }
    }
}

static void verify(const struct paragraph *paragraph, const struct style *style, int32_t tolerance,
                   const struct setting *setting, size_t number)
{
    int64_t least = least_demerits(paragraph, style, tolerance);

    if (least != (setting->forced ? INT64_MAX : setting->demerits)) {
        printf("paragraph %zu: %" PRId64 " demerits, but %" PRId64 " would do\n", number + 1, setting->demerits, least);
        exit(1);
    }
}

static void set_paragraph(struct paragraph *paragraph, const struct options *options, const struct style *style,
                          const struct hyphenator *hyphenator, struct setting *setting, struct totals *totals,
                          size_t number)
{
    int32_t tolerance = style->pretolerance;

    make_items(paragraph, NULL);
    if (break_lines(paragraph, style, tolerance, 0, setting)) {
        totals->first_pass++;
    } else {
        make_items(paragraph, hyphenator);
        tolerance = style->tolerance;
        if (break_lines(paragraph, style, tolerance, 0, setting))
            totals->second_pass++;
        else if (!break_lines(paragraph, style, tolerance, 1, setting))
            fail("paragraph %zu cannot be set", number + 1);
    }
    if (options->verify && style->looseness == 0)
        verify(paragraph, style, tolerance, setting, number);
    totals->lines += (long)setting->count;
    totals->possible += (long)paragraph->hyphens;
    totals->forced += setting->forced;
    if (setting->forced == 0)
        totals->demerits += setting->demerits;
    for (size_t i = 0; i < setting->count; i++)
        totals->hyphens += setting->lines[i].hyphenated;
}

/* Add a paragraph's lines to the rows that are to be broken into pages. */
static size_t add_rows(struct row **rows, size_t count, size_t *room, const struct setting *setting, size_t number)
{
    for (size_t i = 0; i < setting->count; i++) {
        struct row row = {.paragraph = (uint32_t)number, .line = (uint32_t)i};

        if (i + 1 == setting->count) {
            row.glue = 2 * POINT; /* between paragraphs */
            row.stretch = 6 * POINT;
        } else {
            row.penalty = i == 0 ? CLUB_PENALTY : 0;
            row.penalty += i + 2 == setting->count ? WIDOW_PENALTY : 0;
            row.penalty += setting->lines[i].hyphenated ? BROKEN_PENALTY : 0;
        }
        if (count == *room) {
            *room = *room ? 2 * *room : 1024;
            *rows = enlarge(*rows, *room, sizeof **rows);
        }
        (*rows)[count++] = row;
    }
    return count;
}

static void set_pages(struct output *output, const struct document *document, const struct setting *settings,
                      const struct row *rows, const size_t *ends, size_t pages, const struct style *style,
                      const struct page_style *page)
{
    size_t row = 0;

    begin_document(output, style, page);
    for (size_t number = 0; number < pages; number++) {
        int64_t need = page->height, available = 0, flexed = 0;
        int32_t y = page->height;

        for (size_t i = row; i < ends[number]; i++) {
            need -= page->leading + (i + 1 < ends[number] ? rows[i].glue : 0);
            available += i + 1 < ends[number] ? rows[i].stretch : 0;
        }
        if (number + 1 == pages || available == 0 || need > 4 * available)
            need = 0; /* the page stays short */
        begin_page(output, number + 1);
        for (; row < ends[number]; row++) {
            uint32_t p = rows[row].paragraph;
            int32_t lower = available != 0 ? (int32_t)(flexed * need / available) : 0;

            set_line(output, &document->paragraphs[p], style, &settings[p].lines[rows[row].line], y - lower);
            y -= page->leading + rows[row].glue;
            flexed += rows[row].stretch;
        }
        output->checksum = mix(output->checksum, (uint64_t)row);
        end_page(output);
    }
}

static void set_document(struct document *document, const struct options *options, const struct hyphenator *hyphenator,
                         int measure)
{
    struct style style = options->style;
    struct page_style page = {.height = options->rows * 12 * POINT, .leading = 12 * POINT};
    struct setting *settings = allocate(document->count, sizeof *settings);
    struct output output = {.print = options->print, .checksum = 0xcbf29ce484222325};
    struct totals totals = {0};
    struct row *rows = NULL;
    size_t row_count = 0, room = 0, pages, *ends;
    int64_t cost;

    style.measure = measure * POINT;
    for (size_t i = 0; i < document->count; i++) {
        set_paragraph(&document->paragraphs[i], options, &style, hyphenator, &settings[i], &totals, i);
        row_count = add_rows(&rows, row_count, &room, &settings[i], i);
    }
    ends = allocate(row_count, sizeof *ends);
    pages = break_pages(rows, row_count, &page, ends, &cost);
    set_pages(&output, document, settings, rows, ends, pages, &style, &page);
    if (output.misfits > totals.forced) {
        printf("%ld lines do not end at the measure\n", output.misfits);
        exit(1);
    }
    printf("%s%d points: %zu paragraphs (%ld without hyphens, %ld with), %ld lines, %ld forced, %ld of %ld hyphens,"
           " %ld words, demerits %" PRId64 "; %zu pages, cost %" PRId64 "; checksum %016" PRIx64 "\n",
           options->print ? "%" : "", measure, document->count, totals.first_pass, totals.second_pass, totals.lines,
           totals.forced, totals.hyphens, totals.possible, output.words, totals.demerits, pages, cost, output.checksum);
    for (size_t i = 0; i < document->count; i++)
        free(settings[i].lines);
    free(settings);
    free(rows);
    free(ends);
}

int main(int argc, char **argv)
{
    struct options options;
    struct document document;
    struct hyphenator *hyphenator;

    read_options(&options, argc, argv);
    hyphenator = read_hyphenator(options.patterns);
    read_document(&document, options.text);
    if (options.list) {
        list_words(&document, hyphenator);
    } else {
        if (!options.print)
            print_hyphenator(hyphenator);
        for (int run = 0; run < options.runs; run++)
            set_document(&document, &options, hyphenator, options.measure - run * options.step);
    }
    for (size_t i = 0; i < document.count; i++)
        free(document.paragraphs[i].items);
    free(document.paragraphs);
    free(document.text);
    free_hyphenator(hyphenator);
    return 0;
}
