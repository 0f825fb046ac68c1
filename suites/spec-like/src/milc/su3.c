/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 3 x 3 matrices and vectors, and the projection onto SU(3). */
#include "su3.h"

#include <math.h>
#include <string.h>

void set_identity(struct matrix *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++)
        out->e[i][i].re = 1.0;
}

void multiply(struct matrix *out, const struct matrix *a, const struct matrix *b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            struct number sum = {0.0, 0.0};

            for (int k = 0; k < 3; k++)
                add_product(&sum, a->e[i][k], b->e[k][j]);
            out->e[i][j] = sum;
        }
    }
}

void multiply_adjoint(struct matrix *out, const struct matrix *a, const struct matrix *b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            struct number sum = {0.0, 0.0};

            for (int k = 0; k < 3; k++)
                add_product_conjugate(&sum, a->e[i][k], b->e[j][k]);
            out->e[i][j] = sum;
        }
    }
}

void adjoint_multiply(struct matrix *out, const struct matrix *a, const struct matrix *b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            struct number sum = {0.0, 0.0};

            for (int k = 0; k < 3; k++)
                add_product_conjugated(&sum, a->e[k][i], b->e[k][j]);
            out->e[i][j] = sum;
        }
    }
}

void add_matrix(struct matrix *sum, const struct matrix *a)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum->e[i][j].re += a->e[i][j].re;
            sum->e[i][j].im += a->e[i][j].im;
        }
    }
}

struct number trace(const struct matrix *a)
{
    struct number sum = a->e[0][0];

    for (int i = 1; i < 3; i++) {
        sum.re += a->e[i][i].re;
        sum.im += a->e[i][i].im;
    }
    return sum;
}

double real_trace_adjoint(const struct matrix *a, const struct matrix *b)
{
    double sum = 0.0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += a->e[i][j].re * b->e[i][j].re + a->e[i][j].im * b->e[i][j].im;
    return sum;
}

void apply(struct vector *out, const struct matrix *a, const struct vector *v)
{
    for (int i = 0; i < 3; i++) {
        struct number sum = {0.0, 0.0};

        for (int k = 0; k < 3; k++)
            add_product(&sum, a->e[i][k], v->c[k]);
        out->c[i] = sum;
    }
}

void apply_adjoint(struct vector *out, const struct matrix *a, const struct vector *v)
{
    for (int i = 0; i < 3; i++) {
        struct number sum = {0.0, 0.0};

        for (int k = 0; k < 3; k++)
            add_product_conjugated(&sum, a->e[k][i], v->c[k]);
        out->c[i] = sum;
    }
}

static void normalise(struct number row[3])
{
    double square = 0.0, scale;

    for (int k = 0; k < 3; k++)
        square += row[k].re * row[k].re + row[k].im * row[k].im;
    scale = 1.0 / sqrt(square);
    for (int k = 0; k < 3; k++) {
        row[k].re *= scale;
        row[k].im *= scale;
    }
}

/* out = the complex conjugate of the vector product of a and b. */
static void cross(struct number out[3], const struct number a[3], const struct number b[3])
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        struct number left = {0.0, 0.0}, right = {0.0, 0.0};

        add_product(&left, a[l], b[m]);
        add_product(&right, a[m], b[l]);
        out[k].re = left.re - right.re;
        out[k].im = right.im - left.im;
    }
}

/* Gram and Schmidt for the first two rows; unitarity and the determinant fix the third. */
void make_unitary(struct matrix *a)
{
    struct number overlap = {0.0, 0.0};

    normalise(a->e[0]);
    for (int k = 0; k < 3; k++)
        add_product_conjugated(&overlap, a->e[0][k], a->e[1][k]);
    for (int k = 0; k < 3; k++) {
        struct number part = {0.0, 0.0};

        add_product(&part, overlap, a->e[0][k]);
        a->e[1][k].re -= part.re;
        a->e[1][k].im -= part.im;
    }
    normalise(a->e[1]);
    cross(a->e[2], a->e[0], a->e[1]);
}

static double larger(double a, double b)
{
    return fabs(b) > a ? fabs(b) : a;
}

double deviation(const struct matrix *a)
{
    struct number minors[3], determinant = {0.0, 0.0};
    struct matrix square;
    double largest = 0.0;

    multiply_adjoint(&square, a, a);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            largest = larger(largest, square.e[i][j].re - (i == j ? 1.0 : 0.0));
            largest = larger(largest, square.e[i][j].im);
        }
    }
    cross(minors, a->e[0], a->e[1]);
    for (int k = 0; k < 3; k++)
        add_product_conjugated(&determinant, minors[k], a->e[2][k]);
    largest = larger(largest, determinant.re - 1.0);
    return larger(largest, determinant.im);
}
