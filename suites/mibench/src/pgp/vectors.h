/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test. */
#ifndef VECTORS_H
#define VECTORS_H

/* Prints what fails, and is true when nothing does. */
int self_test(void);

#endif
