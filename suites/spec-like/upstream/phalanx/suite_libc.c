/* Two functions of the C library as this suite needs them (its definitions rename the calls):
 * clock() stands still, so that no time gets into the output (searches end at their depth), and
 * qsort() keeps the order of equal elements, which the standard leaves open. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

clock_t clock(void)
{
    return 0;
}

/* Insertion sort: the lists are the legal moves of one position. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *first = base;
    char held[64];
    if (size > sizeof held)
        abort();
    for (size_t next = 1; next < count; next++) {
        size_t place = next;
        memcpy(held, first + next * size, size);
        for (; place > 0 && compare(first + (place - 1) * size, held) > 0; place--)
            memcpy(first + place * size, first + (place - 1) * size, size);
        memcpy(first + place * size, held, size);
    }
}
