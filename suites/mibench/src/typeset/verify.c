/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least demerits of a paragraph a second time, with no list of active nodes and nothing
 * dropped: every legal break against every one before it.
 */
#include "typeset.h"

#include <stdlib.h>

#define CLASSES 4

struct way {
    int64_t demerits[CLASSES]; /* by the fitness of the line that ends here */
};

int64_t least_demerits(const struct paragraph *paragraph, const struct style *style, int32_t tolerance)
{
    struct sums *sums = running_totals(paragraph);
    size_t *places = allocate(paragraph->count + 1, sizeof *places);
    struct way *ways = allocate(paragraph->count + 1, sizeof *ways);
    size_t count = 0;
    int64_t least = INT64_MAX;

    places[count++] = 0; /* the beginning, as if it were a break after a decent line */
    for (size_t i = 0; i < paragraph->count; i++) {
        if (is_legal_break(paragraph, i))
            places[count++] = i;
    }
    for (int class = 0; class < CLASSES; class++)
        ways[0].demerits[class] = class == 1 ? 0 : INT64_MAX;
    for (size_t to = 1; to < count; to++) {
        const struct item *at = &paragraph->items[places[to]];
        int is_last = places[to] + 1 == paragraph->count;

        for (int class = 0; class < CLASSES; class++)
            ways[to].demerits[class] = INT64_MAX;
        for (size_t from = 0; from < to; from++) {
            const struct item *last = &paragraph->items[places[from]];
            int flagged = from > 0 && last->kind == PENALTY && last->flagged;
            size_t first = from == 0 ? 0 : first_after_break(paragraph, places[from]);
            struct line line;

            if (first > places[to] || !measure_line(paragraph, sums, style, first, places[to], &line) ||
                line.badness > tolerance)
                continue;
            for (int class = 0; class < CLASSES; class++) {
                int64_t demerits = ways[from].demerits[class];

                if (demerits == INT64_MAX)
                    continue;
                demerits += demerits_of(style, at, line.badness, line.fitness, class, flagged, is_last);
                if (demerits < ways[to].demerits[line.fitness])
                    ways[to].demerits[line.fitness] = demerits;
            }
        }
    }
    for (int class = 0; class < CLASSES; class++) {
        if (ways[count - 1].demerits[class] < least)
            least = ways[count - 1].demerits[class];
    }
    free(ways);
    free(places);
    free(sums);
    return least;
}
