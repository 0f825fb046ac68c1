/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows to pages with the least total cost, as in Michael F. Plass: Optimal Pagination Techniques
 * for Automatic Typesetting Systems (1981), for text without figures: the space between
 * paragraphs stretches, and a page had better not end after a paragraph's first line, before its
 * last, or with a hyphen.
 */
#include "typeset.h"

#include <stdlib.h>

#define NO_WAY INT64_MAX
#define SHORT_PAGE 2500 /* badness of a page that cannot be filled */

/* The cost of a page of rows from to to - 1, or NO_WAY. */
static int64_t page_cost(const struct row *rows, size_t count, const struct page_style *style, size_t from, size_t to,
                         int64_t natural, int64_t stretch)
{
    int64_t need = style->height - natural, badness;
    int32_t penalty = rows[to - 1].penalty;

    if (need < 0)
        return to == from + 1 ? (int64_t)INFINITE * INFINITE : NO_WAY;
    badness = to == count ? 0 : badness_of(need, stretch);
    if (badness >= INFINITE)
        badness = SHORT_PAGE + need / style->leading * 100;
    return (badness + 10) * (badness + 10) + (to == count ? 0 : (int64_t)penalty * penalty);
}

size_t break_pages(const struct row *rows, size_t count, const struct page_style *style, size_t *ends, int64_t *cost)
{
    int64_t *best = allocate(count + 1, sizeof *best);
    size_t *from = allocate(count + 1, sizeof *from);
    size_t pages = 0, at;

    for (size_t i = 1; i <= count; i++)
        best[i] = NO_WAY;
    for (size_t start = 0; start < count; start++) {
        int64_t natural = 0, stretch = 0;

        if (best[start] == NO_WAY)
            continue;
        for (size_t end = start + 1; end <= count; end++) {
            int64_t here;

            if (end > start + 1) {
                natural += rows[end - 2].glue;
                stretch += rows[end - 2].stretch;
            }
            natural += style->leading;
            here = page_cost(rows, count, style, start, end, natural, stretch);
            if (here == NO_WAY)
                break;
            if (best[start] + here < best[end]) {
                best[end] = best[start] + here;
                from[end] = start;
            }
        }
    }
    *cost = best[count];
    for (at = count; at > 0; at = from[at])
        pages++;
    at = count;
    for (size_t page = pages; page > 0; page--) {
        ends[page - 1] = at;
        at = from[at];
    }
    free(best);
    free(from);
    return pages;
}
