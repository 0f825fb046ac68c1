/* Settings of libquantum for this suite: single precision and 64-bit basis states, its defaults
 * on every 64-bit target; no LAPACK and no OpenMP. */
#ifndef LIBQUANTUM_CONFIG_H
#define LIBQUANTUM_CONFIG_H

#define COMPLEX_FLOAT float _Complex
#define REAL_FLOAT float
#define MAX_UNSIGNED unsigned long long
#define IMAGINARY _Complex_I

#endif
