/* Settings of HMMER's library Easel for this suite: portable C, no vector units, no pipes. */
#ifndef eslCONFIG_INCLUDED
#define eslCONFIG_INCLUDED

#define EASEL_VERSION "0.48"
#define EASEL_DATE "Nov 2020"
#define EASEL_COPYRIGHT "Copyright (C) 2020 Howard Hughes Medical Institute."
#define EASEL_LICENSE "Freely distributed under the BSD open source license."
#define EASEL_URL "http://bioeasel.org/"

#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_STRINGS_H 1

#define HAVE_ERFC 1
#define HAVE_FSEEKO 1
#define HAVE_GETCWD 1
#define HAVE_GETPID 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_STRCASECMP 1
#define HAVE_STRSEP 1

/* Whose parent is process 1 is a daemon to Easel, and its errors go to syslog with the time of day. In the sandbox that is
   everybody's parent. */
#include <unistd.h>
#define getppid() 2

#endif
