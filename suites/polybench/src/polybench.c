/* SPDX-License-Identifier: Apache-2.0 */
#include "polybench.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, MAX_ARRAYS = 16 };

static void *arrays[MAX_ARRAYS];
static int array_count;

void *allocate(size_t size)
{
    void *array = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);

    if (array == NULL) {
        perror("polybench: no array");
        exit(1);
    }
    return arrays[array_count++] = array;
}

void fill(void *array, size_t size, unsigned seed)
{
    double *values = array;

    /* In fixed point: 1 / 1.618... is 0x0.9E3779B9. */
    for (size_t k = 0; k < size / sizeof *values; k++)
        values[k] = (((unsigned)k + seed) * 0x9E3779B9u >> 1) * 0x1p-31;
}

void dump(const void *array, size_t size)
{
    fwrite(array, 1, size, stdout);
}

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "polybench: %s%s; usage: KERNEL MINI|SMALL|MEDIUM|LARGE|EXTRALARGE [REPEATS]\n",
            complaint, what);
    return 2;
}

int main(int argc, char **argv)
{
    static const char *const names[DATASETS] = {"MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"};
    int dataset = 0;
    long repeats = 1;

    if (argc < 2)
        return usage("no size", "");
    if (argc > 3)
        return usage("one argument too many: ", argv[3]);
    while (dataset < DATASETS && strcmp(argv[1], names[dataset]) != 0)
        dataset++;
    if (dataset == DATASETS)
        return usage("no such size: ", argv[1]);
    if (argc == 3) {
        char *end;
        repeats = strtol(argv[2], &end, 10);
        if (*end != '\0' || repeats < 1 || repeats > INT_MAX)
            return usage("REPEATS must be a whole number above 0, not ", argv[2]);
    }

    run(sizes[dataset], (int)repeats);
    while (array_count > 0)
        free(arrays[--array_count]);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("polybench: standard output");
        return 1;
    }
    return 0;
}
