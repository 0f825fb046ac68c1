/* Settings of libmad for this suite: the portable 64-bit fixed-point arithmetic, no assembly, and
 * no decoder in a process of its own (which HAVE_FORK and HAVE_PIPE would select). */
#ifndef LIBMAD_CONFIG_H
#define LIBMAD_CONFIG_H

#define FPM_64BIT 1

#define HAVE_ASSERT_H 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_LIMITS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1

#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8

#endif
