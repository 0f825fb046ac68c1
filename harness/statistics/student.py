"""Quantiles of Student's t distribution: bisection on the exact distribution function, without scipy.

Source of the distribution function: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.
"""

import math

__all__ = ["t_quantile"]


def t_quantile(probability: float, degrees: int) -> float:
    """The ``t`` with P(T ≤ t) = ``probability`` for ``degrees`` ≥ 1 degrees of freedom.

    ``probability`` lies strictly between 0.5 and 1. Raises ValueError otherwise.
    """
    if not 0.5 < probability < 1 or degrees < 1:
        raise ValueError(f"no t quantile for probability {probability} and {degrees} degrees of freedom")
    low, high = 0.0, 1.0
    while _distribution(high, degrees) < probability:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _distribution(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return high


def _distribution(t: float, degrees: int) -> float:
    """P(T ≤ t) for t ≥ 0, by the finite sums for integer degrees (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine = math.cos(angle)
    if degrees % 2:
        total, term = 0.0, cosine
        for k in range(1, degrees - 1, 2):
            total += term
            term *= cosine * cosine * (k + 1) / (k + 2)
        area = 2 / math.pi * (angle + math.sin(angle) * total)
    else:
        total, term = 0.0, 1.0
        for k in range(0, degrees - 1, 2):
            total += term
            term *= cosine * cosine * (k + 1) / (k + 2)
        area = math.sin(angle) * total
    return 0.5 + area / 2
