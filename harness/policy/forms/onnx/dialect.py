"""The C that the generator may write. The harness compares, since what wrote it has read an untrusted file."""

import re

__all__ = ["HEADER", "unexpected"]

HEADER = """\
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF
#define EMX_UNUSED __attribute__((unused))
#define EMX_NODE_FN static inline
#define idx_t int32_t
"""
"""How every source begins; no other line has a ``#``. Without contraction the decisions are those of every machine."""

_LANGUAGE = """
bool char const double extern false float for if inline restrict return static true unsigned void
int32_t int64_t uint32_t uint64_t idx_t INT32_MIN INT32_MAX INT64_MIN FLT_MAX DBL_MAX EMX_UNUSED EMX_NODE_FN isnan
"""
_NAMES = """
policy_decide policy_uses policy_network decision features memcpy sizeof
a a_val acc alpha axis_idx axis_size b base best best_index beta candidate condition data gamma gather_index indices
inner inner_idx j k logsum max_value min_value o outer outer_idx output output_flat sum threshold value
"""
_WORDS = frozenset((_LANGUAGE + _NAMES).split())
_FAMILIES = re.compile(
    r"(fabs|exp|log|log1p|sqrt|pow|tanh|erf|floor|ceil)f?|(i|r|t|next)\d*|input(_?\d+|_[abcxy]|_min|_max)?(_flat|_data)?"
    r"|(node\d+|ref_scalar_(f32|f64|i32|i64|bool)|weight\d+|tmp\d+)_\w+"
)
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ODD = re.compile(r"[^\w\s\[\](){}<>=+\-*/%&|!?:;,.~^]", re.ASCII)


def unexpected(source: str) -> str | None:
    """The first thing in the source that the generator has no business to write; None if all is as it should be."""
    if not source.startswith(HEADER):
        return "another beginning"
    body = source.removeprefix(HEADER)
    if odd := _ODD.search(body):
        return f"the character {odd[0]!a}"
    for word in dict.fromkeys(_IDENTIFIER.findall(body)):
        if word not in _WORDS and not _FAMILIES.fullmatch(word):
            return f"the identifier {word[:60]!a}"
    return None
