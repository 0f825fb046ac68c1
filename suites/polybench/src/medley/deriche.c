/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deriche: smoothing by Deriche's recursive filter (1990), of the rows of a w x h image, then of
 * the columns of the result. Each is the sum of two passes over x, ahead and back:
 *
 *     ahead[j] = a1 x[j] + a2 x[j-1] + b1 ahead[j-1] + b2 ahead[j-2]
 *     back[j]  = a3 x[j+1] + a4 x[j+2] + b1 back[j+1] + b2 back[j+2]
 *
 * with 0 outside the image, e = exp(-alpha), k = (1 - e)^2 / (1 + 2 alpha e - e^2), a1 = k,
 * a2 = k e (alpha - 1), a3 = k e (alpha + 1), a4 = -k e^2, b1 = 2^-alpha and b2 = -e^2.
 */
#include "polybench.h"

/* w, h */
const int sizes[DATASETS][PARAMETERS] = {
    {64, 64}, {192, 128}, {720, 480}, {4096, 2160}, {7680, 4320},
};

/* A pattern of 256 shades. */
static void init(int w, int h, float in[w][h])
{
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            in[i][j] = (float)((7 * i ^ 13 * j) % 256) / 255;
}

/* exp(-x) for x from 0 to 1 by its power series: libm's may differ between machines. */
static double exp_minus(double x)
{
    double term = 1, sum = 1;

    for (int n = 1; n < 20; n++) {
        term *= -x / n;
        sum += term;
    }
    return sum;
}

static void deriche(int w, int h, double alpha, float in[w][h], float out[w][h], float ahead[w][h],
                    float back[w][h])
{
    double e = exp_minus(alpha), k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e * e);
    float a1 = (float)k, a2 = (float)(k * e * (alpha - 1));
    float a3 = (float)(k * e * (alpha + 1)), a4 = (float)(-k * e * e);
    float b1 = (float)exp_minus(alpha * 0.6931471805599453), b2 = (float)(-e * e);

    /* x1, x2, y1, y2: input and result of the last point and of the one before. */
    for (int i = 0; i < w; i++) {
        float x1 = 0, y1 = 0, y2 = 0;
        for (int j = 0; j < h; j++) {
            ahead[i][j] = a1 * in[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = in[i][j];
            y2 = y1;
            y1 = ahead[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int j = h - 1; j >= 0; j--) {
            back[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = in[i][j];
            y2 = y1;
            y1 = back[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = ahead[i][j] + back[i][j];

    for (int j = 0; j < h; j++) {
        float x1 = 0, y1 = 0, y2 = 0;
        for (int i = 0; i < w; i++) {
            ahead[i][j] = a1 * out[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out[i][j];
            y2 = y1;
            y1 = ahead[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int i = w - 1; i >= 0; i--) {
            back[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out[i][j];
            y2 = y1;
            y1 = back[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            out[i][j] = ahead[i][j] + back[i][j];
}

void run(const int *size, int repeats)
{
    int w = size[0], h = size[1];
    float (*in)[h] = allocate(sizeof(float[w][h]));
    float (*out)[h] = allocate(sizeof(float[w][h]));
    float (*ahead)[h] = allocate(sizeof(float[w][h]));
    float (*back)[h] = allocate(sizeof(float[w][h]));

    for (int r = 0; r < repeats; r++) {
        init(w, h, in);
        deriche(w, h, 0.25, in, out, ahead, back);
    }
    dump(out, w * sizeof *out);
}
