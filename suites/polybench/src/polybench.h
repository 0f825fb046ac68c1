/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels share. A program is one kernel's file and polybench.c, called as
 * `KERNEL SIZE [REPEATS]`; its results go to standard output as raw numbers.
 */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stddef.h>

enum { DATASETS = 5, PARAMETERS = 5 };

/* Defined by the kernel's file: its parameters for MINI, SMALL, MEDIUM, LARGE and EXTRALARGE. */
extern const int sizes[DATASETS][PARAMETERS];

/* Defined by it too: initialises the arrays and computes, `repeats` times; then dumps. */
void run(const int *size, int repeats);

/* Memory of this many bytes, aligned to 64, until the program ends. */
void *allocate(size_t size);

/*
 * Fills an array of doubles with the fractional parts of (seed + k) / 1.618..., k = 0, 1, ...: they
 * are equidistributed in [0, 1) (Weyl 1916), and cost little beside a kernel.
 */
void fill(void *array, size_t size, unsigned seed);

/* Writes an array to standard output. */
void dump(const void *array, size_t size);

#endif
