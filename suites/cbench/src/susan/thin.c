/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thinning of edges (after Smith and Brady 1997, section 4.4): a marked pixel's eight neighbours
 * decide what becomes of it. Alone, it goes. At the end of a line, it is joined to another edge
 * over a gap of one pixel. As a kink in a line, it moves into the line where the response is not
 * much smaller. Wherever its neighbours stay connected without it, it goes, the weakest first.
 */
#include "susan.h"

#include <stdlib.h>

#define MOST_PASSES 20
#define STRAIGHTER 70              /* per cent of the response that it may replace */

/* The neighbours in a ring, clockwise from the top. */
static const int ring_x[8] = {0, 1, 1, 1, 0, -1, -1, -1};
static const int ring_y[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

struct field {
    int width;
    const int *response;
    unsigned char *marked;
    int step[8];                   /* to each neighbour */
    struct thinning done;
};

static int neighbours(const struct field *field, long at, int present[8])
{
    int count = 0;

    for (int i = 0; i < 8; i++) {
        present[i] = field->marked[at + field->step[i]];
        count += present[i];
    }
    return count;
}

/*
 * How many pieces the marked neighbours fall into when the pixel is taken out, neighbours being
 * joined across corners too: on the ring, each piece begins where a corner or a side is marked after
 * an unmarked side. With all four sides marked the answer is 0: a hole would be left.
 */
static int pieces(const int present[8])
{
    int count = 0;

    for (int side = 0; side < 8; side += 2)
        count += !present[side] && (present[side + 1] || present[(side + 2) % 8]);
    return count;
}

/*
 * Can the pixel go without a line breaking or becoming shorter? With two neighbours it may be the
 * end of a line that is still thick: then it stays, or one end after the other would go.
 */
static int is_redundant(const int present[8], int count)
{
    int sides = present[0] + present[2] + present[4] + present[6];

    return pieces(present) == 1 && (count >= 3 || sides == 2);
}

/* From the end of a line, go on over the strongest of three pixels if that reaches another edge. */
static void extend(struct field *field, long at, const int present[8])
{
    int behind = 0, best = -1;

    while (!present[behind])
        behind++;
    for (int turn = 3; turn <= 5; turn++) {
        int ahead = (behind + turn) % 8;
        long gap = at + field->step[ahead];
        int reaches = 0;

        if (field->response[gap] == 0)
            continue;
        for (int i = -1; i <= 1; i++)
            reaches += field->marked[gap + field->step[(ahead + i + 8) % 8]];
        if (reaches > 0 && (best < 0 || field->response[gap] > field->response[at + field->step[best]]))
            best = ahead;
    }
    if (best >= 0) {
        field->marked[at + field->step[best]] = 1;
        field->done.filled++;
    }
}

/*
 * With its two neighbours a quarter turn apart the pixel is a kink in a line. The pixel between the
 * neighbours would carry on the line as well, and straighter: it may do so with a smaller response.
 */
static void straighten(struct field *field, long at, const int present[8])
{
    int first = 0, second, between;

    while (!present[first])
        first++;
    second = first + 1;
    while (!present[second])
        second++;
    /* Both are at corners: next to two sides of the ring it would have been redundant. */
    if (second - first == 2)
        between = first + 1;
    else if (second - first == 6)
        between = (second + 1) % 8;
    else
        return;
    if (100 * field->response[at + field->step[between]] > STRAIGHTER * field->response[at]) {
        field->marked[at] = 0;
        field->marked[at + field->step[between]] = 1;
        field->done.moved++;
    }
}

/* Does a marked neighbour have less reason to stay? Then this pixel waits for a later pass. */
static int is_weakest(const struct field *field, long at, const int present[8])
{
    for (int i = 0; i < 8; i++) {
        int around[8], count;
        long other = at + field->step[i];

        if (!present[i] || field->response[other] >= field->response[at])
            continue;
        count = neighbours(field, other, around);
        if (is_redundant(around, count))
            return 0;
    }
    return 1;
}

static void visit(struct field *field, long at)
{
    int present[8];
    int count = neighbours(field, at, present);

    if (count == 0) {
        field->marked[at] = 0;
        field->done.removed++;
    } else if (count == 1) {
        extend(field, at, present);
    } else if (is_redundant(present, count)) {
        if (is_weakest(field, at, present)) {
            field->marked[at] = 0;
            field->done.removed++;
        }
    } else if (count == 2) {
        straighten(field, at, present);
    }
}

/*
 * Thin the marked edges, pass after pass until nothing changes. Only pixels with a response are or
 * become marked, and none of these is within two pixels of the image's edge, the farthest that a
 * visit looks.
 */
struct thinning thin(const struct image *image, struct edges *edges)
{
    struct field field = {.width = image->width, .response = edges->response, .marked = edges->marked};
    int changes, before = 0;

    for (int i = 0; i < 8; i++)
        field.step[i] = ring_y[i] * image->width + ring_x[i];
    do {
        for (int y = MASK_RADIUS; y < image->height - MASK_RADIUS; y++) {
            for (int x = MASK_RADIUS; x < image->width - MASK_RADIUS; x++) {
                long at = (long)y * image->width + x;

                if (field.marked[at])
                    visit(&field, at);
            }
        }
        changes = field.done.removed + field.done.moved + field.done.filled - before;
        before += changes;
        field.done.passes++;
    } while (changes > 0 && field.done.passes < MOST_PASSES);
    return field.done;
}
