/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions made of + - * / alone, so that every machine computes the same bits. */
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

double logarithm(double x);                            /* of a normal number above 0 */
double exponential(double x);                          /* 0 below -700; x is at most 700 */
void circle(double turns, double *cosine, double *sine); /* of 2 pi turns, 0 <= turns < 1 */

#endif
