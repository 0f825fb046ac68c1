/* SPDX-License-Identifier: Apache-2.0 */
/* There are no endgame bitbases to load, and a static program has no dynamic loader. */
#ifndef BATCH_DLFCN_H
#define BATCH_DLFCN_H

#define RTLD_LAZY 1

static inline void *dlopen(const char *, int) { return 0; }
static inline void *dlsym(void *, const char *) { return 0; }
static inline int dlclose(void *) { return 0; }

#endif
