/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How similar two brightnesses are, and the masks (Smith and Brady 1997, section 3): a table of
 * 100 exp(-(difference / threshold)^power), rounded. The exponential is a series of additions,
 * multiplications and divisions, which give the same bits on every machine; a C library's exp
 * does not.
 */
#include "susan.h"

#define NEGLIGIBLE 40.0            /* e^-40 is 4e-18 */
#define TERMS 14

/* e^-x for x >= 0: the Taylor series near 0, squared as often as x was halved to get there. */
double exp_of_minus(double x)
{
    double term = 1.0, sum = 1.0;
    int halvings = 0;

    if (x > NEGLIGIBLE)
        return 0.0;
    while (x > 0.25) {
        x /= 2.0;
        halvings++;
    }
    for (int i = 1; i <= TERMS; i++) {
        term = -term * x / i;
        sum += term;
    }
    while (halvings-- > 0)
        sum *= sum;
    return sum;
}

/* power is even: 6 for edges and corners, 2 for smoothing. */
void set_similarity(struct similarity *similarity, int threshold, int power)
{
    for (int difference = -BRIGHTEST; difference <= BRIGHTEST; difference++) {
        double ratio = (double)difference / threshold, exponent = 1.0;

        for (int i = 0; i < power; i++)
            exponent *= ratio;
        similarity->of[difference + BRIGHTEST] =
            (unsigned char)(FULLY_SIMILAR * exp_of_minus(exponent) + 0.5);
    }
}

/* The mask of 37 pixels, a disc of radius 3.4, or the small one of 3 by 3. */
void set_mask(struct mask *mask, int width, int small)
{
    static const int half_width[2 * MASK_RADIUS + 1] = {1, 2, 3, 3, 3, 2, 1};

    mask->count = 0;
    mask->radius = small ? 1 : MASK_RADIUS;
    for (int dy = -mask->radius; dy <= mask->radius; dy++) {
        int reach = small ? 1 : half_width[dy + MASK_RADIUS];

        for (int dx = -reach; dx <= reach; dx++) {
            struct offset *offset = &mask->pixel[mask->count++];

            offset->dx = dx;
            offset->dy = dy;
            offset->step = dy * width + dx;
        }
    }
}
