/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quicksort as engineered by J. L. Bentley and M. D. McIlroy, "Engineering a sort function",
 * Software: Practice and Experience 23(11), 1993: the pivot is the middle element, the median of
 * three, or the median of three medians of three ("ninther") as the range grows; the partition is
 * three-way, equal elements gathered at both ends and then swapped to the middle; small ranges are
 * sorted by insertion. The longer part is left to the loop, so that the stack stays shallow.
 */
#include "sort.h"

#include <stdint.h>
#include <string.h>

#define INSERTION_BELOW 8      /* elements */
#define NINTHER_ABOVE 40

/* An array's parameters, handed down to every helper. */
struct job {
    size_t size;
    comparison *compare;
};

/* Swap two runs of bytes that are the same or do not overlap. */
static void swap_bytes(char *a, char *b, size_t size)
{
    while (size >= sizeof(uint64_t)) {
        uint64_t left, right;

        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        memcpy(a, &right, sizeof right);
        memcpy(b, &left, sizeof left);
        a += sizeof left;
        b += sizeof left;
        size -= sizeof left;
    }
    while (size-- > 0) {
        char left = *a;

        *a++ = *b;
        *b++ = left;
    }
}

static void sort_by_insertion(char *base, size_t count, const struct job *job)
{
    char *end = base + count * job->size;

    if (count < 2)
        return;
    for (char *next = base + job->size; next < end; next += job->size) {
        for (char *at = next; at > base && job->compare(at - job->size, at) > 0; at -= job->size)
            swap_bytes(at - job->size, at, job->size);
    }
}

static char *median_of_three(char *a, char *b, char *c, const struct job *job)
{
    if (job->compare(a, b) < 0) {
        if (job->compare(b, c) < 0)
            return b;
        return job->compare(a, c) < 0 ? c : a;
    }
    if (job->compare(b, c) > 0)
        return b;
    return job->compare(a, c) > 0 ? c : a;
}

static char *choose_pivot(char *base, size_t count, const struct job *job)
{
    char *first = base, *last = base + (count - 1) * job->size;
    char *middle = base + count / 2 * job->size;

    if (count > NINTHER_ABOVE) {
        size_t step = count / 8 * job->size;

        first = median_of_three(first, first + step, first + 2 * step, job);
        middle = median_of_three(middle - step, middle, middle + step, job);
        last = median_of_three(last - 2 * step, last - step, last, job);
    }
    return median_of_three(first, middle, last, job);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Split a range around its pivot: first the elements before it, last those after it. Their sizes
 * in bytes go to *before and *after; what is between equals the pivot.
 */
static void partition(char *base, size_t count, const struct job *job, size_t *before, size_t *after)
{
    size_t size = job->size;
    char *end = base + count * size;
    char *equal_left = base + size, *left = equal_left;      /* [base, equal_left) equals */
    char *equal_right = end - size, *right = equal_right;    /* (equal_right, end) equals */
    size_t run;

    swap_bytes(base, choose_pivot(base, count, job), size);
    for (;;) {
        int order;

        while (left <= right && (order = job->compare(left, base)) <= 0) {
            if (order == 0) {
                swap_bytes(equal_left, left, size);
                equal_left += size;
            }
            left += size;
        }
        while (left <= right && (order = job->compare(right, base)) >= 0) {
            if (order == 0) {
                swap_bytes(right, equal_right, size);
                equal_right -= size;
            }
            right -= size;
        }
        if (left > right)
            break;
        swap_bytes(left, right, size);
        left += size;
        right -= size;
    }
    *before = (size_t)(left - equal_left);
    *after = (size_t)(equal_right - right);
    run = smaller((size_t)(equal_left - base), *before);
    swap_bytes(base, left - run, run);
    run = smaller(*after, (size_t)(end - equal_right) - size);
    swap_bytes(left, end - run, run);
}

static void sort_range(char *base, size_t count, const struct job *job)
{
    while (count >= INSERTION_BELOW) {
        size_t before, after;
        char *end = base + count * job->size;

        partition(base, count, job, &before, &after);
        if (before < after) {
            sort_range(base, before / job->size, job);
            base = end - after;
            count = after / job->size;
        } else {
            sort_range(end - after, after / job->size, job);
            count = before / job->size;
        }
    }
    sort_by_insertion(base, count, job);
}

void sort(void *base, size_t count, size_t size, comparison *compare)
{
    struct job job = {size, compare};

    if (count > 1 && size > 0)
        sort_range(base, count, &job);
}
