/* glibc has getopt, so libtiff's own is not compiled. */
#ifndef _LIBPORT_CONFIG_H_
#define _LIBPORT_CONFIG_H_

#define HAVE_GETOPT 1
#define HAVE_UNISTD_H 1

#endif
