/* SPDX-License-Identifier: Apache-2.0 */
/* The exponential and the complementary error function, of plain arithmetic: the same on every machine. */
#ifndef NAMD_SPECIAL_H
#define NAMD_SPECIAL_H

constexpr double root_of_pi = 1.7724538509055160273;

double exponential(double x);
double complementary_error(double x);

#endif
