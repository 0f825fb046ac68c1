/* Internal settings of libjpeg-turbo for this suite. The same on every 64-bit target. */
#define PACKAGE_NAME  "libjpeg-turbo"
#define VERSION  "2.1.5"
#define BUILD  "0"

#define INLINE  inline
#define THREAD_LOCAL  __thread
#define SIZEOF_SIZE_T  8
#define HAVE_BUILTIN_CTZL

#define FALLTHROUGH  __attribute__((fallthrough));
