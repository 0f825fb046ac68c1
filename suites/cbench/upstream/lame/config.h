/* Settings of LAME for this suite: encoding only, portable C on every target. That means no
 * mpglib, no nasm, no SSE intrinsics, no iconv, no termcap and no sndfile. */
#ifndef LAME_CONFIG_H
#define LAME_CONFIG_H

#include <stdint.h>

#define PACKAGE  "lame"
#define LAME_LIBRARY_BUILD  1

#define STDC_HEADERS  1
#define HAVE_ERRNO_H  1
#define HAVE_FCNTL_H  1
#define HAVE_INTTYPES_H  1
#define HAVE_LIMITS_H  1
#define HAVE_STDINT_H  1

/* What upstream selects on x86: quantisation by the bit layout of IEEE floats, logarithm by table. */
#define TAKEHIRO_IEEE754_HACK  1
#define USE_FAST_LOG  1

typedef float ieee754_float32_t;
typedef double ieee754_float64_t;
typedef long double ieee854_float80_t;

#endif
