"""Which integers a library sends below a split: its comparison of rounded numbers as an exact one of integers.

Libraries turn a feature into a floating-point number before they compare it with a threshold, some strictly. Rounding
keeps order, so the integers that go below are all those up to a last one, and ``value <= last`` says the same.
"""

import math

__all__ = ["DOUBLE", "SINGLE", "last_below"]

SINGLE, DOUBLE = 24, 53
"""Significant bits of IEEE 754 single and double precision."""

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def last_below(threshold: float, bits: int, *, strict: bool = False) -> int:
    """The largest 64-bit integer that, rounded to ``bits`` significant bits, is at most ``threshold``.

    ``strict``: less than it. One less than the least 64-bit integer when there is none. Raises ValueError for NaN.
    """
    if math.isnan(threshold):
        raise ValueError("a threshold is not a number")
    if math.isinf(threshold):
        return _MOST if threshold > 0 else _LEAST - 1
    exact = math.ceil(threshold) - 1 if strict else math.floor(threshold)
    if abs(exact) < 1 << bits:  # these, and their neighbours, are not rounded
        return exact
    low, high = _LEAST - 1, _MOST
    while low < high:
        middle = (low + high + 1) // 2
        rounded = _nearest(middle, bits)
        if rounded < threshold or (rounded == threshold and not strict):
            low = middle
        else:
            high = middle - 1
    return low


def _nearest(value: int, bits: int) -> int:
    """The nearest integer with at most ``bits`` significant bits; of two, the one that ends in an even bit."""
    spare = abs(value).bit_length() - bits
    if spare <= 0:
        return value
    magnitude = abs(value)
    odd = (magnitude >> spare) & 1
    rounded = ((magnitude + (1 << (spare - 1)) - 1 + odd) >> spare) << spare
    return rounded if value > 0 else -rounded
