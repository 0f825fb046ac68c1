/* Packed numbers of the language model begin at any byte. Upstream reads them through misaligned pointers, which C
   leaves undefined, but for one processor, where it copies: that is what this asks for, on every target. */
#include <string.h>

#define __arm
#include "../sphinxbase/src/libsphinxbase/util/bitarr.c"
