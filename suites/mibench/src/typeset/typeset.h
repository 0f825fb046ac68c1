/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to pages: the parts of the program and what they share. Lengths are integers, in
 * thousandths of a printer's point, so that nothing depends on floating point.
 */
#ifndef TYPESET_H
#define TYPESET_H

#include <stddef.h>
#include <stdint.h>

#define POINT 1000
#define INFINITE 10000       /* badness and penalty: as bad as can be */
#define LONGEST_WORD 63      /* longer ones are not hyphenated */
#define LEAST_BEFORE 2       /* letters before a hyphen */
#define LEAST_AFTER 3        /* and after it */

/* support.c */
_Noreturn void fail(const char *format, ...);
void *allocate(size_t count, size_t size);
void *enlarge(void *memory, size_t count, size_t size);
char *read_file(const char *path, size_t *length);
uint64_t mix(uint64_t hash, uint64_t value);

/* font.c: a proportional face of ten points */
enum { LIGATURE_FF = 128, LIGATURE_FI, LIGATURE_FL, LIGATURE_FFI, LIGATURE_FFL };

int32_t glyph_width(unsigned char glyph);
int32_t glyph_kern(unsigned char left, unsigned char right);
/* Characters to glyphs, with ligatures; out has room for count. Gives the number of glyphs. */
size_t to_glyphs(const char *text, size_t count, unsigned char *out);
int32_t text_width(const char *text, size_t count);

/* hyphen.c */
struct hyphenator;

struct hyphenator *read_hyphenator(const char *path);
void free_hyphenator(struct hyphenator *hyphenator);
/* breaks[i] becomes 1 where a hyphen may follow the first i letters (lower case) of the word. */
size_t hyphenate(const struct hyphenator *hyphenator, const char *word, size_t length, unsigned char *breaks);
void print_hyphenator(const struct hyphenator *hyphenator);

/* items.c: a paragraph as boxes, glue and penalties */
enum item_kind { BOX, GLUE, PENALTY };

struct item {
    enum item_kind kind;
    int flagged;             /* a penalty that puts a hyphen */
    int32_t width;
    int32_t stretch;
    int32_t shrink;
    int32_t penalty;
    uint32_t start;          /* a box: its characters in the paragraph's text */
    uint32_t length;
};

struct paragraph {
    const char *text;
    size_t length;
    struct item *items;
    size_t count;
    size_t room;
    size_t hyphens;          /* places where a word may be broken */
};

/* Without a hyphenator no word is broken, save at hyphens that it has. */
void make_items(struct paragraph *paragraph, const struct hyphenator *hyphenator);

/* lines.c */
struct style {
    int32_t measure;         /* width of a line */
    int32_t tolerance;       /* greatest badness of a line, in the second pass */
    int32_t pretolerance;    /* the same in the first, which breaks no words */
    int32_t line_penalty;
    int32_t fitness_demerits;
    int32_t hyphens_demerits;
    int looseness;           /* wanted lines above (or below) the best number of them */
};

struct line {
    size_t from;             /* first item */
    size_t to;               /* the item that it is broken at */
    int32_t badness;
    int32_t natural;         /* width without stretching */
    int32_t stretch;
    int32_t shrink;
    int fitness;
    int hyphenated;
};

struct setting {
    struct line *lines;
    size_t count;
    size_t room;
    int64_t demerits;
    int forced;              /* lines that had to be accepted although they do not fit */
};

struct sums {
    int64_t width, stretch, shrink;
};

int32_t badness_of(int64_t need, int64_t available);
int fitness_of(int64_t need, int32_t badness);
/* Totals before each item, one more than there are items; to be freed. */
struct sums *running_totals(const struct paragraph *paragraph);
size_t first_after_break(const struct paragraph *paragraph, size_t place);
int is_legal_break(const struct paragraph *paragraph, size_t place);
int64_t demerits_of(const struct style *style, const struct item *at, int32_t badness, int fitness,
                    int last_fitness, int last_flagged, int is_last);
/* Fills in how the line from item `from` to a break at item `to` fits. Gives 0 when it is too long. */
int measure_line(const struct paragraph *paragraph, const struct sums *sums, const struct style *style, size_t from,
                 size_t to, struct line *line);
/* One pass. Gives 0 when no way stays within the tolerance (and emergency is 0). */
int break_lines(const struct paragraph *paragraph, const struct style *style, int32_t tolerance, int emergency,
                struct setting *setting);

/* verify.c: the least demerits again, by trying every pair of breaks; INT64_MAX when there is no way */
int64_t least_demerits(const struct paragraph *paragraph, const struct style *style, int32_t tolerance);

/* pages.c */
struct row {
    uint32_t paragraph;
    uint32_t line;
    int32_t penalty;         /* of a page's end after this line */
    int32_t glue;            /* natural space after it, on the same page */
    int32_t stretch;
};

struct page_style {
    int32_t height;
    int32_t leading;
};

/* ends[p] becomes one more than the last row of page p; gives the number of pages, *cost what they cost. */
size_t break_pages(const struct row *rows, size_t count, const struct page_style *style, size_t *ends,
                   int64_t *cost);

#endif
