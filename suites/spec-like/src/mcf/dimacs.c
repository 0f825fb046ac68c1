/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a minimum-cost flow instance in the format of the first DIMACS implementation challenge,
 * "The first DIMACS international algorithm implementation challenge: problem definitions and
 * specifications", 1990: lines "c …", "p min NODES ARCS", "n NODE SUPPLY", "a TAIL HEAD LOW CAPACITY COST".
 */
#include "mcf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define MOST_NODES 1000000
#define MOST_ARCS 10000000
#define LARGEST INT64_C(1000000000)          /* of any number in a line */
#define LARGEST_TOTAL INT64_C(4000000000000000000)

struct reader {
    const char *path;
    char *cursor;
    long line;
};

/* The next number of the line, between -limit (or 0 unless signed) and limit. */
static int64_t next_number(struct reader *reader, int is_signed, int64_t limit, const char *what)
{
    int64_t value = 0;
    int negative;

    while (*reader->cursor == ' ' || *reader->cursor == '\t')
        reader->cursor++;
    negative = is_signed && *reader->cursor == '-';
    if (negative)
        reader->cursor++;
    if (!isdigit((unsigned char)*reader->cursor))
        fail("%s:%ld: %s expected", reader->path, reader->line, what);
    while (isdigit((unsigned char)*reader->cursor)) {
        value = value * 10 + (*reader->cursor++ - '0');
        if (value > limit)
            fail("%s:%ld: %s is beyond %" PRId64, reader->path, reader->line, what, limit);
    }
    return negative ? -value : value;
}

static int next_node(struct reader *reader, const struct instance *instance, const char *what)
{
    int node = (int)next_number(reader, 0, instance->nodes, what);

    if (node == 0)
        fail("%s:%ld: %s is 0; nodes are counted from 1", reader->path, reader->line, what);
    return node;
}

static void end_of_line(struct reader *reader)
{
    while (*reader->cursor == ' ' || *reader->cursor == '\t' || *reader->cursor == '\r')
        reader->cursor++;
    if (*reader->cursor != '\n' && *reader->cursor != '\0')
        fail("%s:%ld: more than expected: '%.10s'", reader->path, reader->line, reader->cursor);
}

static void skip_line(struct reader *reader)
{
    while (*reader->cursor != '\n' && *reader->cursor != '\0')
        reader->cursor++;
}

/* "p min NODES ARCS", after the p. */
static void read_problem(struct reader *reader, struct instance *instance)
{
    static const char kind[] = "min";

    while (*reader->cursor == ' ')
        reader->cursor++;
    for (int i = 0; kind[i] != '\0'; i++) {
        if (*reader->cursor++ != kind[i])
            fail("%s:%ld: the problem is not 'min'", reader->path, reader->line);
    }
    instance->nodes = (int)next_number(reader, 0, MOST_NODES, "the number of nodes");
    instance->arcs = (int)next_number(reader, 0, MOST_ARCS, "the number of arcs");
    if (instance->nodes < 2)
        fail("%s:%ld: fewer than two nodes", reader->path, reader->line);
    instance->supply = allocate(instance->nodes + 1, sizeof *instance->supply);
    instance->line = allocate(instance->arcs, sizeof *instance->line);
}

/* "n NODE SUPPLY", after the n. */
static void read_supply(struct reader *reader, struct instance *instance)
{
    int node = next_node(reader, instance, "a node");
    int64_t supply = next_number(reader, 1, LARGEST, "a supply");

    if (instance->supply[node] != 0)
        fail("%s:%ld: node %d has a supply already", reader->path, reader->line, node);
    instance->supply[node] = supply;
}

/* "a TAIL HEAD LOW CAPACITY COST", after the a. */
static void read_arc(struct reader *reader, const struct instance *instance, struct line *line)
{
    line->tail = next_node(reader, instance, "a tail");
    line->head = next_node(reader, instance, "a head");
    line->low = next_number(reader, 0, LARGEST, "a lower bound");
    line->capacity = next_number(reader, 0, LARGEST, "a capacity");
    line->cost = next_number(reader, 1, LARGEST, "a cost");
    if (line->tail == line->head)
        fail("%s:%ld: the arc is a loop at node %d", reader->path, reader->line, line->tail);
    if (line->low > line->capacity)
        fail("%s:%ld: the lower bound is above the capacity", reader->path, reader->line);
}

/* Sums and extremes; no flow within the bounds may cost more than fits into 64 bits. */
static void survey(struct instance *instance, const char *path)
{
    int64_t balance = 0, total = 0;

    for (int i = 1; i <= instance->nodes; i++) {
        balance += instance->supply[i];
        if (instance->supply[i] > 0)
            instance->units += instance->supply[i];
    }
    if (balance != 0)
        fail("%s: the supplies add up to %" PRId64 ", not to 0", path, balance);
    for (int i = 0; i < instance->arcs; i++) {
        const struct line *line = &instance->line[i];
        int64_t most = (line->cost < 0 ? -line->cost : line->cost) * line->capacity;

        if (most > LARGEST_TOTAL - total)
            fail("%s: costs times capacities are too large", path);
        total += most;
        if (i == 0 || line->cost < instance->cheapest)
            instance->cheapest = line->cost;
        if (i == 0 || line->cost > instance->dearest)
            instance->dearest = line->cost;
    }
}

void read_instance(struct instance *instance, const char *path)
{
    char *text = read_file(path);
    struct reader reader = {path, text, 0};
    int arcs = 0;

    *instance = (struct instance){0};
    while (*reader.cursor != '\0') {
        char kind = *reader.cursor;

        reader.line++;
        if (kind != '\n')
            reader.cursor++;
        if (kind == 'c') {
            skip_line(&reader);
        } else if (kind == 'p') {
            if (instance->nodes != 0)
                fail("%s:%ld: a second problem line", path, reader.line);
            read_problem(&reader, instance);
        } else if (kind != '\n' && instance->nodes == 0) {
            fail("%s:%ld: the problem line must come first", path, reader.line);
        } else if (kind == 'n') {
            read_supply(&reader, instance);
        } else if (kind == 'a') {
            if (arcs == instance->arcs)
                fail("%s:%ld: more than %d arcs", path, reader.line, arcs);
            read_arc(&reader, instance, &instance->line[arcs++]);
        } else if (kind != '\n') {
            fail("%s:%ld: lines begin with c, p, n or a, not with '%c'", path, reader.line, kind);
        }
        end_of_line(&reader);
        if (*reader.cursor == '\n')
            reader.cursor++;
    }
    if (instance->nodes == 0)
        fail("%s: there is no problem line", path);
    if (arcs != instance->arcs)
        fail("%s: %d arcs announced, %d found", path, instance->arcs, arcs);
    free(text);
    survey(instance, path);
}

void free_instance(struct instance *instance)
{
    free(instance->supply);
    free(instance->line);
}
