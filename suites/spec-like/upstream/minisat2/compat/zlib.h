/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of zlib that MiniSat makes, for formulas that are not compressed. */
#ifndef COMPAT_ZLIB_H
#define COMPAT_ZLIB_H

#include <stdio.h>

typedef FILE *gzFile;

static inline gzFile gzopen(const char *path, const char *mode) { return fopen(path, mode); }

static inline gzFile gzdopen(int descriptor, const char *mode) { return fdopen(descriptor, mode); }

static inline int gzread(gzFile file, void *buffer, unsigned size) {
    return static_cast<int>(fread(buffer, 1, size, file));
}

static inline int gzclose(gzFile file) { return fclose(file); }

#endif
