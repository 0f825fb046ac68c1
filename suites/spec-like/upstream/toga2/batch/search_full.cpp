/* SPDX-License-Identifier: Apache-2.0 */
/* Toga's own search_full.cpp, which reads the flags of a hash entry even when none was found: they are then none. */
#include "trans.h"

#define trans_retrieve(...) (trans_flags = TransUnknown, trans_retrieve(__VA_ARGS__))
#include "../src/search_full.cpp"
