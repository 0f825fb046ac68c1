/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patricia: a forwarding table of IPv4 routes in a PATRICIA tree (Morrison 1968; see tree.c).
 * Loads routes, looks up addresses by longest prefix, withdraws some routes, looks up again.
 */
#include "routes.h"
#include "tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct defaults defaults;
    int every;             /* print one look-up of so many */
    int withdraw;          /* delete one route of so many; 0: none */
    int aggregate;         /* delete routes that a shorter one makes redundant */
    int table;             /* print the routes */
    const char *routes;
    const char *addresses;
};

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("patricia: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: patricia [-l L,L...] [-h HOPS] [-e EVERY] [-w EVERY] [-a] [-t] ROUTES ADDRESSES\n"
         "  -l L,L...  prefix lengths, by turns, of routes without one (8,16,24)\n"
         "  -h HOPS    number of next hops of routes without one (16)\n"
         "  -e EVERY   print one look-up of EVERY (1)\n"
         "  -w EVERY   withdraw one route of EVERY after the look-ups, then look up again\n"
         "  -a         withdraw routes with the next hop of the route that covers them\n"
         "  -t         print the table",
         complaint);
}

static int positive(const char *text, int limit)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < 1 || value > limit)
        usage("an option's number is out of range");
    return (int)value;
}

static void read_lengths(struct defaults *defaults, const char *text)
{
    defaults->lengths = 0;
    for (;;) {
        char *end;
        long value = strtol(text, &end, 10);

        if (end == text || value < 0 || value > 32 || defaults->lengths == MOST_LENGTHS)
            usage("-l needs up to 33 lengths between 0 and 32");
        defaults->length[defaults->lengths++] = (int)value;
        if (*end == '\0')
            return;
        if (*end != ',')
            usage("-l needs commas between the lengths");
        text = end + 1;
    }
}

static void read_options(struct options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    read_lengths(&options->defaults, "8,16,24");
    options->defaults.hops = 16;
    options->every = 1;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];

        if (strcmp(argument, "-a") == 0) {
            options->aggregate = 1;
        } else if (strcmp(argument, "-t") == 0) {
            options->table = 1;
        } else if (argument[0] == '-') {
            if (i + 1 == argc)
                usage("unknown option, or nothing after it");
            i++;
            if (strcmp(argument, "-l") == 0)
                read_lengths(&options->defaults, argv[i]);
            else if (strcmp(argument, "-h") == 0)
                options->defaults.hops = positive(argv[i], 65535);
            else if (strcmp(argument, "-e") == 0)
                options->every = positive(argv[i], 1000000);
            else if (strcmp(argument, "-w") == 0)
                options->withdraw = positive(argv[i], 1000000);
            else
                usage("unknown option");
        } else if (options->routes == NULL) {
            options->routes = argument;
        } else if (options->addresses == NULL) {
            options->addresses = argument;
        } else {
            usage("more than two files");
        }
    }
    if (options->addresses == NULL)
        usage("two files are needed");
}

/* What the visits of a walk gather. */
struct summary {
    int of_length[33];
    uint64_t checksum;
    const struct route *busiest;
    int print;
};

static void mix(uint64_t *checksum, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        *checksum = (*checksum ^ (value & 0xff)) * 0x100000001b3;
        value >>= 8;
    }
}

static void summarise(const struct route *route, void *context)
{
    struct summary *summary = context;
    char text[20];

    summary->of_length[route->prefix.length]++;
    mix(&summary->checksum, route->prefix.address);
    mix(&summary->checksum, (uint64_t)route->prefix.length << 32 | (uint32_t)route->value);
    mix(&summary->checksum, (uint64_t)route->hits);
    if (summary->busiest == NULL || route->hits > summary->busiest->hits)
        summary->busiest = route;
    if (summary->print)
        printf("route %s hop %d hits %ld\n", format_prefix(text, route->prefix), route->value, route->hits);
}

static void report(const struct tree *tree, int print)
{
    struct shape shape = tree_measure(tree);
    struct summary summary = {.checksum = 0xcbf29ce484222325, .print = print};
    char text[20];

    if (!shape.valid) {
        puts("the tree is out of order");
        exit(1);
    }
    tree_walk(tree, summarise, &summary);
    printf("tree: %d routes, deepest %d, depths %ld, skipped %d\n", shape.keys, shape.deepest, shape.depths,
           shape.skipped);
    printf("lengths:");
    for (int i = 0; i <= 32; i++) {
        if (summary.of_length[i] > 0)
            printf(" /%d:%d", i, summary.of_length[i]);
    }
    putchar('\n');
    if (summary.busiest != NULL)
        printf("busiest: %s with %ld hits\n", format_prefix(text, summary.busiest->prefix),
               summary.busiest->hits);
    printf("table checksum %016" PRIx64 "\n", summary.checksum);
}

static void load(struct tree *tree, const struct entries *routes)
{
    int added = 0;

    for (int i = 0; i < routes->count; i++) {
        int done = tree_insert(tree, routes->item[i].prefix, routes->item[i].hop);

        if (done < 0)
            fail("out of memory");
        added += done;
    }
    printf("loaded: %d lines, %d routes, %d repeated\n", routes->count, added, routes->count - added);
}

static void look_up(struct tree *tree, const struct entries *addresses, int every)
{
    long tested = tree->tested, compared = tree->compared;
    long bits = 0;
    int found = 0;

    for (int i = 0; i < addresses->count; i++) {
        uint32_t address = addresses->item[i].prefix.address;
        struct route *route = tree_match(tree, address);
        char text[20];

        if (route != NULL) {
            found++;
            bits += route->prefix.length;
            route->hits++;
        }
        if (i % every != 0)
            continue;
        printf("%s -> ", format_address(text, address));
        if (route == NULL)
            puts("none");
        else
            printf("%s hop %d\n", format_prefix(text, route->prefix), route->value);
    }
    printf("looked up: %d, found %d, matched bits %ld, tested %ld, compared %ld\n", addresses->count, found,
           bits, tree->tested - tested, tree->compared - compared);
}

/* Delete one route of every so many lines, from the last to the first. */
static void withdraw(struct tree *tree, const struct entries *routes, int every)
{
    int gone = 0, absent = 0;

    for (int i = routes->count - 1; i >= 0; i--) {
        struct prefix prefix = routes->item[i].prefix;

        if (i % every != 0)
            continue;
        if (tree_delete(tree, prefix))
            gone++;
        else
            absent++;
        if (tree_find(tree, prefix) != NULL) {
            puts("a withdrawn route is still there");
            exit(1);
        }
    }
    printf("withdrawn: %d, absent %d\n", gone, absent);
}

/* Routes on the way from the widest prefix to the current one, and those found redundant. */
struct cover {
    struct route above[33];
    int depth;
    struct prefix *redundant;
    int count;
};

static void find_redundant(const struct route *route, void *context)
{
    struct cover *cover = context;

    while (cover->depth > 0) {
        const struct prefix *above = &cover->above[cover->depth - 1].prefix;

        if (((route->prefix.address ^ above->address) & prefix_mask(above->length)) == 0)
            break;
        cover->depth--;
    }
    if (cover->depth > 0 && cover->above[cover->depth - 1].value == route->value)
        cover->redundant[cover->count++] = route->prefix;
    else
        cover->above[cover->depth++] = *route;
}

/* Delete routes that change no look-up's next hop: what covers them has the same one. */
static void aggregate(struct tree *tree)
{
    struct cover cover = {.depth = 0};

    cover.redundant = malloc((tree->count > 0 ? (size_t)tree->count : 1) * sizeof *cover.redundant);
    if (cover.redundant == NULL)
        fail("out of memory");
    tree_walk(tree, find_redundant, &cover);
    for (int i = 0; i < cover.count; i++)
        tree_delete(tree, cover.redundant[i]);
    printf("aggregated: %d redundant\n", cover.count);
    free(cover.redundant);
}

int main(int argc, char **argv)
{
    struct options options;
    struct entries routes, addresses;
    struct tree tree = {0};

    read_options(&options, argc, argv);
    read_routes(&routes, options.routes, &options.defaults);
    read_addresses(&addresses, options.addresses);
    load(&tree, &routes);
    look_up(&tree, &addresses, options.every);
    report(&tree, options.table);
    if (options.withdraw > 0) {
        withdraw(&tree, &routes, options.withdraw);
        look_up(&tree, &addresses, options.every);
        report(&tree, options.table);
    }
    if (options.aggregate) {
        aggregate(&tree);
        look_up(&tree, &addresses, options.every);
        report(&tree, options.table);
    }
    tree_clear(&tree);
    free(routes.item);
    free(addresses.item);
    return 0;
}
