/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcf: minimum-cost flow by the primal network simplex method. Every answer is checked against the
 * instance: that it is feasible, that its reduced costs prove it optimal, that it falls into paths.
 */
#include "mcf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int first_rule, last_rule;
    int keep;                   /* arcs out of each node that are active at first; 0 for all */
    int flow, paths;            /* print them in full? */
    int files;
};

static const char *const rule_name[] = {"basket", "block", "best"};

static uint64_t checksum = 0xcbf29ce484222325;

static _Noreturn void usage(const char *complaint)
{
    fail("%s\n"
         "usage: mcf [-p basket|block|best|all] [-k ARCS] [-f] [-d] FILE...\n"
         "  -p RULE  how the entering arc is chosen; all: solve with each rule\n"
         "  -k ARCS  begin with so many arcs out of each node, let the others in as they are needed\n"
         "  -f       print the flow\n"
         "  -d       print the paths that it falls into",
         complaint);
}

static void choose_rule(struct options *options, const char *name)
{
    options->first_rule = BASKET;
    options->last_rule = BEST;
    if (strcmp(name, "all") == 0)
        return;
    while (options->first_rule <= BEST && strcmp(name, rule_name[options->first_rule]) != 0)
        options->first_rule++;
    if (options->first_rule > BEST)
        usage("unknown rule");
    options->last_rule = options->first_rule;
}

static int read_number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*end != '\0' || end == text || value < 0 || value > 1000000)
        usage("an option's number is not between 0 and 1000000");
    return (int)value;
}

/* Files are moved to the front of argv. */
static void read_options(struct options *options, int argc, char **argv)
{
    *options = (struct options){.first_rule = BASKET, .last_rule = BASKET};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-f") == 0) {
            options->flow = 1;
        } else if (strcmp(argv[i], "-d") == 0) {
            options->paths = 1;
        } else if (strcmp(argv[i], "-p") == 0 || strcmp(argv[i], "-k") == 0) {
            if (i + 1 == argc)
                usage("an option needs a value after it");
            if (argv[i][1] == 'p')
                choose_rule(options, argv[i + 1]);
            else
                options->keep = read_number(argv[i + 1]);
            i++;
        } else if (argv[i][0] == '-') {
            usage("unknown option");
        } else {
            argv[options->files++] = argv[i];
        }
    }
    if (options->files == 0)
        usage("no file");
}

static _Noreturn void is_wrong(const char *what, const char *fault)
{
    printf("%s: %s\n", what, fault);
    exit(1);
}

static void show_flow(const struct instance *instance, const struct solution *solution, int in_full)
{
    int used = 0, full = 0;

    for (int i = 0; i < instance->arcs; i++) {
        const struct line *line = &instance->line[i];
        int64_t flow = solution->flow[i];

        mix(&checksum, flow);
        used += flow != 0;
        full += flow != 0 && flow == line->capacity;
        if (in_full && flow != 0)
            printf("f %d %d %" PRId64 "\n", line->tail, line->head, flow);
    }
    for (int i = 1; i <= instance->nodes; i++)
        mix(&checksum, solution->price[i]);
    printf("flow: on %d arcs, %d of them full\n", used, full);
}

/* Solve by one rule; returns the cost. */
static int64_t solve(const struct instance *instance, const struct options *options, enum rule rule)
{
    struct network network;
    struct solution solution;
    struct effort effort = {0};
    const char *fault;
    int64_t cost;

    build_network(&network, instance);
    if (options->keep > 0)
        suspend_arcs(&network, options->keep);
    sift(&network, rule, &effort);
    if ((fault = tree_fault(&network)) != NULL)
        is_wrong("tree", fault);
    extract_solution(&solution, &network, instance);
    printf("%s: %ld pivots, %ld degenerate, %ld flips; %ld arcs priced, %ld climbed, %ld nodes moved\n",
           rule_name[rule], effort.pivots, effort.degenerate, effort.flips, effort.priced, effort.climbed,
           effort.moved);
    printf("rounds: %d, %d of %d arcs active at last\n", effort.rounds, network.active, network.arcs);
    free_network(&network);
    cost = solution.cost;
    if (solution.missing > 0) {
        printf("infeasible: %" PRId64 " units cannot be sent\n", solution.missing);
        cost = INT64_MAX;
    } else {
        if ((fault = solution_fault(instance, &solution)) != NULL)
            is_wrong("solution", fault);
        printf("s %" PRId64 "\n", cost);
        show_flow(instance, &solution, options->flow);
        show_paths(instance, &solution, options->paths, &checksum);
    }
    free_solution(&solution);
    return cost;
}

int main(int argc, char **argv)
{
    struct options options;

    read_options(&options, argc, argv);
    for (int i = 0; i < options.files; i++) {
        struct instance instance;
        int64_t cost = 0;

        read_instance(&instance, argv[i]);
        printf("%s: %d nodes, %d arcs, %" PRId64 " units, costs %" PRId64 " to %" PRId64 "\n", argv[i],
               instance.nodes, instance.arcs, instance.units, instance.cheapest, instance.dearest);
        for (int rule = options.first_rule; rule <= options.last_rule; rule++) {
            int64_t found = solve(&instance, &options, (enum rule)rule);

            if (rule > options.first_rule && found != cost)
                is_wrong("rules", "they do not find the same cost");
            cost = found;
        }
        free_instance(&instance);
    }
    printf("checksum %016" PRIx64 "\n", checksum);
    return 0;
}
