/* Preloaded where no small disk can be mounted: writing below $FULL_DISK fails as on a full disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int full(int descriptor) {
  const char *disk = getenv("FULL_DISK");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!disk || length < 0)
    return 0;
  path[length] = 0;
  errno = ENOSPC;
  return strncmp(path, disk, strlen(disk)) == 0;
}

ssize_t write(int descriptor, const void *data, size_t size) {
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  return full(descriptor) ? -1 : real(descriptor, data, size);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
  ssize_t (*real)(int, int, off_t *, size_t) = dlsym(RTLD_NEXT, "sendfile");
  return full(out) ? -1 : real(out, in, offset, size);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off_t offset) {
  ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
  return full(descriptor) ? -1 : real(descriptor, data, size, offset);
}
