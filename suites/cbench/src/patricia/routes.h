/* SPDX-License-Identifier: Apache-2.0 */
/* Files of IPv4 routes and addresses. */
#ifndef ROUTES_H
#define ROUTES_H

#include "tree.h"

#define MOST_LENGTHS 33

/* How to complete a line that gives an address alone. */
struct defaults {
    int length[MOST_LENGTHS]; /* prefix lengths, taken by turns */
    int lengths;
    int hops;                 /* next hops are 1 to hops */
};

/* One line of a file. */
struct entry {
    struct prefix prefix;
    int hop;
};

struct entries {
    struct entry *item;
    int count;
};

_Noreturn void fail(const char *format, ...);

/* Read "ADDRESS", "ADDRESS/LENGTH" or "ADDRESS/LENGTH HOP" a line; '#' begins a comment. */
void read_routes(struct entries *routes, const char *path, const struct defaults *defaults);

/* Read "ADDRESS" a line. */
void read_addresses(struct entries *addresses, const char *path);

/* Write 10.1.0.0 and 10.1.0.0/16; they return the buffer. */
char *format_address(char buffer[20], uint32_t address);
char *format_prefix(char buffer[20], struct prefix prefix);

#endif
