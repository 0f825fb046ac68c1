/* Two functions of the C library as this suite needs them (its definitions rename the calls):
 * time() stands still, so that no time gets into the output and none ends a search, and qsort()
 * keeps the order of equal elements, which the standard leaves open. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

time_t time(time_t *out)
{
    if (out != NULL)
        *out = 0;
    return 0;
}

/* Merge sort from below: runs of 1, 2, 4 … elements, between the array and a copy of it. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *from = base, *to, *copy;

    if (count < 2)
        return;
    copy = malloc(count * size);
    if (copy == NULL)
        abort();
    to = copy;
    for (size_t run = 1; run < count; run *= 2) {
        char *out = to;

        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t left = start, right = middle;

            while (left < middle || right < end) {
                int take_left = right == end || (left < middle && compare(from + left * size, from + right * size) <= 0);

                memcpy(out, from + (take_left ? left++ : right++) * size, size);
                out += size;
            }
        }
        to = from;
        from = from == (char *)base ? copy : base;
    }
    if (from != (char *)base)
        memcpy(base, from, count * size);
    free(copy);
}
