/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers, vectors of three, and 3 x 3 matrices, among them those of the group SU(3). */
#ifndef SU3_H
#define SU3_H

struct number {
    double re, im;
};

struct vector {
    struct number c[3];
};

struct matrix {
    struct number e[3][3];
};

/* sum += a * b, with neither, the first or the second conjugated. */
static inline void add_product(struct number *sum, struct number a, struct number b)
{
    sum->re += a.re * b.re - a.im * b.im;
    sum->im += a.re * b.im + a.im * b.re;
}

static inline void add_product_conjugated(struct number *sum, struct number a, struct number b)
{
    sum->re += a.re * b.re + a.im * b.im;
    sum->im += a.re * b.im - a.im * b.re;
}

static inline void add_product_conjugate(struct number *sum, struct number a, struct number b)
{
    add_product_conjugated(sum, b, a);
}

void set_identity(struct matrix *out);
void multiply(struct matrix *out, const struct matrix *a, const struct matrix *b);
void multiply_adjoint(struct matrix *out, const struct matrix *a, const struct matrix *b); /* a b+ */
void adjoint_multiply(struct matrix *out, const struct matrix *a, const struct matrix *b); /* a+ b */
void add_matrix(struct matrix *sum, const struct matrix *a);
struct number trace(const struct matrix *a);
double real_trace_adjoint(const struct matrix *a, const struct matrix *b); /* Re tr a b+ */

/* out = a v and out = a+ v. */
void apply(struct vector *out, const struct matrix *a, const struct vector *v);
void apply_adjoint(struct vector *out, const struct matrix *a, const struct vector *v);

/* Make the rows orthonormal and the determinant 1. */
void make_unitary(struct matrix *a);

/* How far a is from SU(3): the largest of the parts of a a+ - 1 and det a - 1. */
double deviation(const struct matrix *a);

#endif
