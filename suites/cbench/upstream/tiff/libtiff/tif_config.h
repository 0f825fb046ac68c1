/* What libtiff's sources need to know of the C library: glibc on a 64-bit machine. */
#ifndef TIF_CONFIG_H
#define TIF_CONFIG_H

#include "tiffconf.h"

#define HAVE_ASSERT_H 1
#define HAVE_DECL_OPTARG 1
#define HAVE_FCNTL_H 1
#define HAVE_FSEEKO 1
#define HAVE_GETOPT 1
#define HAVE_MMAP 1
#define HAVE_SNPRINTF 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1

#define SIZEOF_SIZE_T 8
#define TIFF_SIZE_FORMAT "zu"
#define TIFF_SSIZE_FORMAT PRId64

#define STRIP_SIZE_DEFAULT 8192
#define TIFF_MAX_DIR_COUNT 1048576

#endif
