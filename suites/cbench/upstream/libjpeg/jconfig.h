/* Settings of libjpeg-turbo for this suite: the v6b interface with 8-bit samples, arithmetic
 * coding and memory sources, and no SIMD code. */
#define JPEG_LIB_VERSION  62
#define LIBJPEG_TURBO_VERSION  2.1.5
#define LIBJPEG_TURBO_VERSION_NUMBER  2001005

#define BITS_IN_JSAMPLE  8
#define C_ARITH_CODING_SUPPORTED  1
#define D_ARITH_CODING_SUPPORTED  1
#define MEM_SRCDST_SUPPORTED  1
