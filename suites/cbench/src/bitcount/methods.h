/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of counting the one bits of a word of 32 bits. */
#ifndef METHODS_H
#define METHODS_H

#include <stdint.h>

enum { METHODS = 10 };

typedef int count_function(uint32_t word);

extern const struct method {
    const char *name;
    count_function *count;
} methods[METHODS];

/* Fills the tables; to be called once, before any method. */
void methods_init(void);

#endif
