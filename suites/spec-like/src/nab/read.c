/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a molecule: lines of a keyword and its values; '#' begins a comment. Atoms count from 0.
 *
 *   title TEXT
 *   type NAME MASS HALF DEPTH RADIUS SCREEN
 *   atom TYPE CHARGE X Y Z
 *   bond I J STIFFNESS LENGTH
 *   angle I J K STIFFNESS RADIANS
 *   torsion I J K L HEIGHT FOLD SIGN
 */
#include "nab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TYPES 64
#define MOST_ATOMS 5000
#define MOST_ITEMS (8 * MOST_ATOMS)

struct reader {
    const char *path;
    int line;
    char *cursor;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("nab: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(int count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static _Noreturn void complain(const struct reader *reader, const char *what)
{
    fail("%s:%d: %s", reader->path, reader->line, what);
}

/* The next word of the line, or NULL; words end in a zero from then on. */
static char *next_word(struct reader *reader)
{
    char *word = reader->cursor + strspn(reader->cursor, " \t\r\n");
    size_t length = strcspn(word, " \t\r\n");

    if (length == 0)
        return NULL;
    reader->cursor = word + length;
    if (*reader->cursor != '\0')
        *reader->cursor++ = '\0';
    return word;
}

static char *need_word(struct reader *reader)
{
    char *word = next_word(reader);

    if (word == NULL)
        complain(reader, "the line is too short");
    return word;
}

static double number(struct reader *reader, double least, double most)
{
    char *word = need_word(reader), *end;
    double value = strtod(word, &end);

    if (*end != '\0')
        fail("%s:%d: '%s' is not a number", reader->path, reader->line, word);
    if (!(value >= least && value <= most))
        fail("%s:%d: %s is not between %g and %g", reader->path, reader->line, word, least, most);
    return value;
}

static int whole(struct reader *reader, int least, int most)
{
    double value = number(reader, least, most);

    if (value != (int)value)
        complain(reader, "a whole number expected");
    return (int)value;
}

/* Atoms of a bond, an angle or a torsion: all are there, none comes twice. */
static void members(struct reader *reader, const struct molecule *molecule, int *atom, int count)
{
    if (molecule->atoms == 0)
        complain(reader, "there are no atoms yet");
    for (int i = 0; i < count; i++) {
        atom[i] = whole(reader, 0, molecule->atoms - 1);
        for (int j = 0; j < i; j++)
            if (atom[j] == atom[i])
                complain(reader, "an atom comes twice");
    }
}

static void read_type(struct reader *reader, struct molecule *molecule)
{
    struct type *type = &molecule->kinds[molecule->types];
    const char *name = need_word(reader);

    if (molecule->types == MOST_TYPES)
        complain(reader, "too many types");
    if (strlen(name) >= sizeof type->name)
        complain(reader, "the name is too long");
    strcpy(type->name, name);
    type->mass = number(reader, 0.5, 1000.0);
    type->half = number(reader, 0.0, 5.0);
    type->depth = number(reader, 0.0, 10.0);
    type->radius = number(reader, 0.5, 5.0);
    type->screen = number(reader, 0.0, 2.0);
    molecule->types++;
}

static void read_atom(struct reader *reader, struct molecule *molecule)
{
    const char *name = need_word(reader);
    int type = 0;

    while (type < molecule->types && strcmp(molecule->kinds[type].name, name) != 0)
        type++;
    if (type == molecule->types)
        complain(reader, "there is no such type");
    if (molecule->atoms == MOST_ATOMS)
        complain(reader, "too many atoms");
    molecule->type[molecule->atoms] = type;
    molecule->mass[molecule->atoms] = molecule->kinds[type].mass;
    molecule->charge[molecule->atoms] = number(reader, -5.0, 5.0);
    for (int i = 0; i < 3; i++)
        molecule->start[3 * molecule->atoms + i] = number(reader, -10000.0, 10000.0);
    molecule->atoms++;
}

static void read_bond(struct reader *reader, struct molecule *molecule)
{
    struct bond *bond = &molecule->bond[molecule->bonds];

    if (molecule->bonds == MOST_ITEMS)
        complain(reader, "too many bonds");
    members(reader, molecule, bond->atom, 2);
    bond->stiffness = number(reader, 0.0, 10000.0);
    bond->length = number(reader, 0.1, 10.0);
    molecule->bonds++;
}

static void read_angle(struct reader *reader, struct molecule *molecule)
{
    struct angle *angle = &molecule->angle[molecule->angles];

    if (molecule->angles == MOST_ITEMS)
        complain(reader, "too many angles");
    members(reader, molecule, angle->atom, 3);
    angle->stiffness = number(reader, 0.0, 10000.0);
    angle->radians = number(reader, 0.0, 3.1416);
    molecule->angles++;
}

static void read_torsion(struct reader *reader, struct molecule *molecule)
{
    struct torsion *torsion = &molecule->torsion[molecule->torsions];

    if (molecule->torsions == MOST_ITEMS)
        complain(reader, "too many torsions");
    members(reader, molecule, torsion->atom, 4);
    torsion->height = number(reader, -1000.0, 1000.0);
    torsion->fold = whole(reader, 1, 6);
    torsion->sign = whole(reader, -1, 1);
    molecule->torsions++;
}

static void read_line(struct reader *reader, struct molecule *molecule)
{
    char *keyword = next_word(reader);

    if (keyword == NULL || *keyword == '#')
        return;
    if (strcmp(keyword, "title") == 0) {
        snprintf(molecule->title, sizeof molecule->title, "%.*s", (int)strcspn(reader->cursor, "\r\n"),
                 reader->cursor);
        return;
    }
    if (strcmp(keyword, "type") == 0)
        read_type(reader, molecule);
    else if (strcmp(keyword, "atom") == 0)
        read_atom(reader, molecule);
    else if (strcmp(keyword, "bond") == 0)
        read_bond(reader, molecule);
    else if (strcmp(keyword, "angle") == 0)
        read_angle(reader, molecule);
    else if (strcmp(keyword, "torsion") == 0)
        read_torsion(reader, molecule);
    else
        complain(reader, "unknown keyword");
    if (next_word(reader) != NULL)
        complain(reader, "there is more on the line");
}

void read_molecule(struct molecule *molecule, const char *path)
{
    struct reader reader = {path, 0, NULL};
    FILE *file = fopen(path, "r");
    char line[512];

    if (file == NULL)
        fail("cannot open %s: %s", path, strerror(errno));
    memset(molecule, 0, sizeof *molecule);
    molecule->kinds = allocate(MOST_TYPES + 1, sizeof *molecule->kinds);
    molecule->type = allocate(MOST_ATOMS, sizeof *molecule->type);
    molecule->charge = allocate(MOST_ATOMS, sizeof *molecule->charge);
    molecule->mass = allocate(MOST_ATOMS, sizeof *molecule->mass);
    molecule->start = allocate(3 * MOST_ATOMS, sizeof *molecule->start);
    molecule->bond = allocate(MOST_ITEMS + 1, sizeof *molecule->bond);
    molecule->angle = allocate(MOST_ITEMS + 1, sizeof *molecule->angle);
    molecule->torsion = allocate(MOST_ITEMS + 1, sizeof *molecule->torsion);
    while (fgets(line, sizeof line, file) != NULL) {
        reader.line++;
        if (strchr(line, '\n') == NULL && !feof(file))
            complain(&reader, "the line is too long");
        reader.cursor = line;
        read_line(&reader, molecule);
    }
    if (ferror(file))
        fail("cannot read %s", path);
    fclose(file);
    if (molecule->atoms < 2)
        fail("%s: fewer than two atoms", path);
}

void free_molecule(struct molecule *molecule)
{
    free(molecule->kinds);
    free(molecule->type);
    free(molecule->charge);
    free(molecule->mass);
    free(molecule->start);
    free(molecule->bond);
    free(molecule->angle);
    free(molecule->torsion);
    free(molecule->contact);
    free(molecule->first_near);
    free(molecule->near);
    free(molecule->far_pair);
}
