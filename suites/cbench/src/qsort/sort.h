/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of an array of anything, as the C library's qsort does it. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>

/* Negative, zero or positive as *a sorts before, beside or after *b. */
typedef int comparison(const void *a, const void *b);

/* Sort count elements of size bytes each. Equal elements end up in any order. */
void sort(void *base, size_t count, size_t size, comparison *compare);

#endif
