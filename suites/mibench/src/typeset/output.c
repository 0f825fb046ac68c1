/* SPDX-License-Identifier: Apache-2.0 */
/* Lines with every word in its place, as PostScript and as a checksum. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

#define MARGIN (72 * POINT)

void begin_document(struct output *output, const struct style *style, const struct page_style *page)
{
    if (!output->print)
        return;
    printf("%%!PS-Adobe-2.0\n%%%%BoundingBox: 0 0 %d %d\n", (style->measure + 2 * MARGIN) / POINT,
           (page->height + 2 * MARGIN) / POINT);
    puts("/Times-Roman findfont 10 scalefont setfont\n/w { 1000 div exch 1000 div moveto show } def");
}

void begin_page(struct output *output, size_t number)
{
    if (output->print)
        printf("%%%%Page: %zu %zu\n", number, number);
}

void end_page(struct output *output)
{
    if (output->print)
        puts("showpage");
}

static void print_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '(' || text[i] == ')' || text[i] == '\\')
            putchar('\\');
        putchar(text[i]);
    }
}

/* One piece of text without a space in it; pieces of a word are joined. */
static void set_word(struct output *output, const char *text, size_t length, int hyphen, int64_t x, int32_t y)
{
    output->words++;
    output->checksum = mix(mix(output->checksum, (uint64_t)x), (uint64_t)y);
    for (size_t i = 0; i < length; i++)
        output->checksum = mix(output->checksum, (unsigned char)text[i]);
    if (output->print) {
        putchar('(');
        print_text(text, length);
        printf("%s) %d %d w\n", hyphen ? "-" : "", (int)y, (int)(x + MARGIN));
    }
}

void set_line(struct output *output, const struct paragraph *paragraph, const struct style *style,
              const struct line *line, int32_t y)
{
    int64_t need = style->measure - line->natural, x = 0, flexed = 0, word_x = 0;
    int64_t available = need >= 0 ? line->stretch : line->shrink;
    size_t start = 0, length = 0;

    /* Glue gives its share of what has been needed so far, so that no remainders add up. */
    if (need < -available)
        need = -available;
    for (size_t i = line->from; i < line->to; i++) {
        const struct item *item = &paragraph->items[i];

        if (item->kind == BOX) {
            if (length == 0) {
                start = item->start;
                word_x = x + (available != 0 ? flexed * need / available : 0);
            }
            length += item->length;
            x += item->width;
        } else if (item->kind == GLUE) {
            if (length > 0)
                set_word(output, paragraph->text + start, length, 0, word_x, y);
            length = 0;
            x += item->width;
            flexed += need >= 0 ? item->stretch : item->shrink;
        }
    }
    if (paragraph->items[line->to].kind == PENALTY)
        x += paragraph->items[line->to].width;
    if (length > 0)
        set_word(output, paragraph->text + start, length,
                 line->hyphenated && paragraph->items[line->to].width > 0, word_x, y);
    x += available != 0 ? flexed * need / available : 0;
    if (available > 0 && x != style->measure && line->natural - line->shrink <= style->measure)
        output->misfits++;
}
