/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of parameters: a line has a name and its value; those left out have the default below. */
#include "params.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 200
#define MOST_SITES 100000

struct reader {
    struct params *params;
    const char *path;
    int line;
};

static _Noreturn void complain(const struct reader *reader, const char *complaint)
{
    fail("%s, line %d: %s", reader->path, reader->line, complaint);
}

static double real_number(const struct reader *reader, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= least && value <= most))
        fail("%s, line %d: '%s' is not a number from %g to %g", reader->path, reader->line, text, least, most);
    return value;
}

static int whole_number(const struct reader *reader, const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < least || value > most)
        fail("%s, line %d: '%s' is not a whole number from %d to %d", reader->path, reader->line, text, least,
             most);
    return (int)value;
}

/* The position of a word in a list that ends with NULL. */
static int choice(const struct reader *reader, const char *text, const char *const words[])
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    complain(reader, "not one of the words that may be here");
}

static uint64_t read_seed(const struct reader *reader, const char *text)
{
    char *end;
    uint64_t seed;

    errno = 0;
    seed = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0)
        complain(reader, "the seed is not a number below 2^64");
    return seed;
}

static void set_value(struct reader *reader, const char *name, const char *value)
{
    static const char *const starts[] = {"cold", "hot", NULL}, *const answers[] = {"no", "yes", NULL};
    static const char *const quarks[] = {"none", "staggered", "wilson", NULL};
    static const char *const axes[] = {"x", "y", "z", "t", NULL};
    struct params *params = reader->params;

    if (strlen(name) == 1) {
        int *length = &params->length[choice(reader, name, axes)];

        *length = whole_number(reader, value, 2, 64);
        if (*length % 2 != 0)
            complain(reader, "a length of the lattice is not even");
    } else if (strcmp(name, "seed") == 0) {
        params->seed = read_seed(reader, value);
    } else if (strcmp(name, "start") == 0) {
        params->hot = choice(reader, value, starts);
    } else if (strcmp(name, "beta") == 0) {
        params->beta = real_number(reader, value, 0.0, 100.0);
    } else if (strcmp(name, "sweeps") == 0) {
        params->sweeps = whole_number(reader, value, 0, 1000000);
    } else if (strcmp(name, "reflections") == 0) {
        params->reflections = whole_number(reader, value, 0, 1000);
    } else if (strcmp(name, "loops") == 0) {
        params->loops = whole_number(reader, value, 0, 16);
    } else if (strcmp(name, "transform") == 0) {
        params->transform = choice(reader, value, answers);
    } else if (strcmp(name, "quark") == 0) {
        params->quark = (enum quark)choice(reader, value, quarks);
    } else if (strcmp(name, "mass") == 0) {
        params->mass = real_number(reader, value, 0.001, 100.0);
    } else if (strcmp(name, "kappa") == 0) {
        params->kappa = real_number(reader, value, 0.0, 0.2);
    } else if (strcmp(name, "sources") == 0) {
        params->sources = whole_number(reader, value, 1, 12);
    } else if (strcmp(name, "tolerance") == 0) {
        params->tolerance = real_number(reader, value, 1e-12, 0.1);
    } else if (strcmp(name, "iterations") == 0) {
        params->iterations = whole_number(reader, value, 1, 1000000);
    } else {
        complain(reader, "unknown name");
    }
}

static void check(const struct params *params, const char *path)
{
    long sites = 1;

    for (int d = 0; d < DIRECTIONS; d++)
        sites *= params->length[d];
    if (sites > MOST_SITES)
        fail("%s: the lattice has more than %d sites", path, MOST_SITES);
    if (params->quark == STAGGERED && params->sources > 3)
        fail("%s: a staggered quark has 3 sources, not %d", path, params->sources);
}

void read_params(struct params *params, const char *path)
{
    struct reader reader = {params, path, 0};
    char line[LINE], name[LINE], value[LINE], more[LINE];
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    *params = (struct params){.length = {4, 4, 4, 4}, .seed = 1, .beta = 6.0, .mass = 0.1, .kappa = 0.12,
                              .sources = 1, .tolerance = 1e-8, .iterations = 1000};
    while (fgets(line, sizeof line, file) != NULL) {
        int words = sscanf(line, "%s %s %s", name, value, more);

        reader.line++;
        if (strchr(line, '\n') == NULL && !feof(file))
            complain(&reader, "the line is too long");
        if (words <= 0)
            continue;
        if (words != 2)
            complain(&reader, "not a name and a value");
        set_value(&reader, name, value);
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    if (reader.line == 0)
        fail("%s is empty", path);
    check(params, path);
}
