/* What libtiff's public headers need to know of the machine: a 64-bit little-endian one,
   and the codecs that need no other library. */
#ifndef _TIFFCONF_
#define _TIFFCONF_

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#define TIFF_INT8_T int8_t
#define TIFF_INT16_T int16_t
#define TIFF_INT32_T int32_t
#define TIFF_INT64_T int64_t
#define TIFF_UINT8_T uint8_t
#define TIFF_UINT16_T uint16_t
#define TIFF_UINT32_T uint32_t
#define TIFF_UINT64_T uint64_t
#define TIFF_SSIZE_T int64_t

#define HAVE_IEEEFP 1
#define HOST_BIGENDIAN 0
/* The same on both targets, so that they take the same paths. */
#define HOST_FILLORDER FILLORDER_LSB2MSB

#define CCITT_SUPPORT 1
#define LOGLUV_SUPPORT 1
#define LZW_SUPPORT 1
#define NEXT_SUPPORT 1
#define PACKBITS_SUPPORT 1
#define THUNDER_SUPPORT 1

#define DEFAULT_EXTRASAMPLE_AS_ALPHA 1
#define MDI_SUPPORT 1
#define STRIPCHOP_DEFAULT TIFF_STRIPCHOP
#define SUBIFD_SUPPORT 1

#define CMYK_SUPPORT
#define COLORIMETRY_SUPPORT
#define ICC_SUPPORT
#define IPTC_SUPPORT
#define PHOTOSHOP_SUPPORT
#define YCBCR_SUPPORT

#endif
