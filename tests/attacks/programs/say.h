// One line of output per attempt: its name, then "ok" or the name of the error.

#ifndef SAY_H
#define SAY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void say(const char *attempt, long result) {
  const char *name = result >= 0 ? "ok" : strerrorname_np(errno);
  printf("%s %s\n", attempt, name != NULL ? name : "error");
  (void)fflush(stdout);
}

#endif
