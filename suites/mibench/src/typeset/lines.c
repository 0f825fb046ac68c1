/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Donald E. Knuth and Michael F. Plass: Breaking Paragraphs into Lines (Software: Practice and
 * Experience 11, 1981): the breaks with the least total demerits, found by dynamic programming
 * over the active ones, those from which a line may still reach the present place.
 */
#include "typeset.h"

#include <stdlib.h>

#define NO_NODE (-1)
#define CLASSES 4 /* tight, decent, loose, very loose */
#define FORCED_DEMERITS ((int64_t)1 << 40)

/* A feasible break. */
struct node {
    size_t place;
    int line;        /* lines until here */
    int fitness;     /* of the line that ends here */
    int flagged;
    int previous;
    int next;        /* in the list of active nodes, by rising line */
    int64_t demerits;
    struct line how; /* the line that ends here */
};

struct nodes {
    struct node *all;
    int count, room;
    int first; /* active */
};

/* 100 times the cube of the ratio, to the nearest. */
int32_t badness_of(int64_t need, int64_t available)
{
    int64_t ratio, badness;

    if (need <= 0)
        return 0;
    if (available <= 0 || need > 5 * available)
        return INFINITE;
    ratio = need * 1024 / available;
    badness = (100 * ratio * ratio * ratio + (1 << 29)) >> 30;
    return badness > INFINITE ? INFINITE : (int32_t)badness;
}

/* need is above zero for a line that is stretched. */
int fitness_of(int64_t need, int32_t badness)
{
    if (need < 0)
        return badness > 12 ? 0 : 1;
    if (badness > 99)
        return 3;
    return badness > 12 ? 2 : 1;
}

struct sums *running_totals(const struct paragraph *paragraph)
{
    struct sums *sums = allocate(paragraph->count + 1, sizeof *sums);

    for (size_t i = 0; i < paragraph->count; i++) {
        const struct item *item = &paragraph->items[i];

        sums[i + 1] = sums[i];
        if (item->kind != PENALTY) {
            sums[i + 1].width += item->width;
            sums[i + 1].stretch += item->stretch;
            sums[i + 1].shrink += item->shrink;
        }
    }
    return sums;
}

/* What can be dropped after a break is dropped. */
size_t first_after_break(const struct paragraph *paragraph, size_t place)
{
    size_t i = place;

    while (i < paragraph->count && paragraph->items[i].kind != BOX) {
        if (i > place && paragraph->items[i].kind == PENALTY && paragraph->items[i].penalty <= -INFINITE)
            break;
        i++;
    }
    return i;
}

int is_legal_break(const struct paragraph *paragraph, size_t place)
{
    const struct item *item = &paragraph->items[place];

    if (item->kind == GLUE)
        return place > 0 && paragraph->items[place - 1].kind == BOX;
    return item->kind == PENALTY && item->penalty < INFINITE;
}

int64_t demerits_of(const struct style *style, const struct item *at, int32_t badness, int fitness, int last_fitness,
                    int last_flagged, int is_last)
{
    int64_t demerits = (int64_t)(style->line_penalty + badness) * (style->line_penalty + badness);
    int32_t penalty = at->kind == PENALTY ? at->penalty : 0;

    if (penalty > 0)
        demerits += (int64_t)penalty * penalty;
    else if (penalty > -INFINITE)
        demerits -= (int64_t)penalty * penalty;
    if (at->kind == PENALTY && at->flagged && last_flagged && !is_last)
        demerits += style->hyphens_demerits;
    if (is_last && last_flagged)
        demerits += style->hyphens_demerits / 2; /* the last line but one ends with a hyphen */
    if (abs(fitness - last_fitness) > 1)
        demerits += style->fitness_demerits;
    return demerits;
}

int measure_line(const struct paragraph *paragraph, const struct sums *sums, const struct style *style, size_t from,
                 size_t to, struct line *line)
{
    const struct item *at = &paragraph->items[to];
    int64_t width = sums[to].width - sums[from].width;
    int64_t stretch = sums[to].stretch - sums[from].stretch;
    int64_t shrink = sums[to].shrink - sums[from].shrink;
    int64_t need;

    if (at->kind == PENALTY)
        width += at->width;
    need = style->measure - width;
    line->from = from;
    line->to = to;
    line->natural = (int32_t)width;
    line->stretch = (int32_t)stretch;
    line->shrink = (int32_t)shrink;
    line->hyphenated = at->kind == PENALTY && at->flagged && at->penalty > -INFINITE;
    line->badness = need >= 0 ? badness_of(need, stretch) : badness_of(-need, shrink);
    line->fitness = fitness_of(need, line->badness);
    return need >= -shrink;
}

static int new_node(struct nodes *nodes, struct node node)
{
    if (nodes->count == nodes->room) {
        nodes->room = nodes->room ? 2 * nodes->room : 256;
        nodes->all = enlarge(nodes->all, (size_t)nodes->room, sizeof *nodes->all);
    }
    nodes->all[nodes->count] = node;
    return nodes->count++;
}

/* Put the best ways to `place` with so many lines into the list, before node `next`. Gives the last new one. */
static int add_best(struct nodes *nodes, const struct node best[CLASSES], int64_t least, const struct style *style,
                    int last, int next)
{
    for (int class = 0; class < CLASSES; class++) {
        int made;

        /* A worse one of another class pays only if it saves the demerits of ill-fitting neighbours. */
        if (best[class].demerits == INT64_MAX || best[class].demerits > least + style->fitness_demerits)
            continue;
        made = new_node(nodes, best[class]);
        nodes->all[made].next = next;
        if (last == NO_NODE)
            nodes->first = made;
        else
            nodes->all[last].next = made;
        last = made;
    }
    return last;
}

/* Go along the active nodes: drop those that lines no longer reach, and collect the best breaks at `place`. */
static void try_break(struct nodes *nodes, const struct paragraph *paragraph, const struct sums *sums,
                      const struct style *style, int32_t tolerance, int emergency, size_t place)
{
    const struct item *at = &paragraph->items[place];
    int forced = at->kind == PENALTY && at->penalty <= -INFINITE;
    int is_last = place + 1 == paragraph->count;
    int here = nodes->first, before = NO_NODE;

    while (here != NO_NODE) {
        struct node best[CLASSES];
        int64_t least = INT64_MAX;
        int lines = nodes->all[here].line;

        for (int class = 0; class < CLASSES; class++)
            best[class].demerits = INT64_MAX;
        /* Without looseness the number of lines does not matter: all are one group. */
        while (here != NO_NODE && (style->looseness == 0 || nodes->all[here].line == lines)) {
            const struct node *node = &nodes->all[here];
            int next = node->next, dropped;
            struct line line;
            int fits = measure_line(paragraph, sums, style, first_after_break(paragraph, node->place), place, &line);
            int accepted = fits && line.badness <= tolerance;
            int64_t demerits = 0;

            dropped = !fits || forced;
            if (dropped && !accepted && emergency && least == INT64_MAX && next == NO_NODE && before == NO_NODE) {
                accepted = 1; /* nothing else is left: the line has to do */
                demerits = FORCED_DEMERITS;
            }
            if (accepted) {
                demerits += node->demerits + demerits_of(style, at, line.badness, line.fitness, node->fitness,
                                                         node->flagged, is_last);
                if (demerits < best[line.fitness].demerits) {
                    best[line.fitness] = (struct node){.place = place, .line = node->line + 1,
                                                       .fitness = line.fitness, .flagged = line.hyphenated,
                                                       .previous = here, .demerits = demerits, .how = line};
                    if (demerits < least)
                        least = demerits;
                }
            }
            if (dropped) {
                if (before == NO_NODE)
                    nodes->first = next;
                else
                    nodes->all[before].next = next;
            } else {
                before = here;
            }
            here = next;
        }
        if (least < INT64_MAX)
            before = add_best(nodes, best, least, style, before, here);
    }
}

/* The end that is nearest to the wanted looseness, and of those the best; NO_NODE without an end. */
static int chosen_end(const struct nodes *nodes, const struct paragraph *paragraph, const struct style *style)
{
    int best = NO_NODE, chosen;

    for (int i = nodes->first; i != NO_NODE; i = nodes->all[i].next) {
        if (nodes->all[i].place + 1 == paragraph->count &&
            (best == NO_NODE || nodes->all[i].demerits < nodes->all[best].demerits))
            best = i;
    }
    if (best == NO_NODE || style->looseness == 0)
        return best;
    chosen = best;
    for (int i = nodes->first; i != NO_NODE; i = nodes->all[i].next) {
        int wanted = nodes->all[best].line + style->looseness;
        int distance = abs(nodes->all[i].line - wanted), shortest = abs(nodes->all[chosen].line - wanted);

        if (nodes->all[i].place + 1 == paragraph->count &&
            (distance < shortest || (distance == shortest && nodes->all[i].demerits < nodes->all[chosen].demerits)))
            chosen = i;
    }
    return chosen;
}

int break_lines(const struct paragraph *paragraph, const struct style *style, int32_t tolerance, int emergency,
                struct setting *setting)
{
    struct sums *sums = running_totals(paragraph);
    struct nodes nodes = {.first = NO_NODE};
    int end;

    nodes.first = new_node(&nodes, (struct node){.fitness = 1, .previous = NO_NODE, .next = NO_NODE});
    for (size_t i = 0; i < paragraph->count && nodes.first != NO_NODE; i++) {
        if (is_legal_break(paragraph, i))
            try_break(&nodes, paragraph, sums, style, tolerance, emergency, i);
    }
    end = chosen_end(&nodes, paragraph, style);
    if (end != NO_NODE) {
        setting->count = (size_t)nodes.all[end].line;
        setting->demerits = nodes.all[end].demerits;
        setting->forced = (int)(setting->demerits / FORCED_DEMERITS);
        if (setting->count > setting->room) {
            setting->room = 2 * setting->count;
            setting->lines = enlarge(setting->lines, setting->room, sizeof *setting->lines);
        }
        for (int i = end; nodes.all[i].previous != NO_NODE; i = nodes.all[i].previous)
            setting->lines[nodes.all[i].line - 1] = nodes.all[i].how;
    }
    free(nodes.all);
    free(sums);
    return end != NO_NODE;
}
