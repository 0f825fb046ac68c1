"""Wilcoxon's signed-rank statistic: its exact distribution when the signs are fair, and what follows from it.

Sources: Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945;
Hollander and Wolfe, Nonparametric Statistical Methods, 2nd edition 1999, sections 3.1 and 3.3.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.statistics.normal import normal_quantile
from harness.statistics.values import finite, tail

__all__ = ["EXACT_UP_TO", "critical_rank", "null_counts", "signed_rank_p"]

EXACT_UP_TO = 60
"""Values up to which the distribution is counted; 2^60 sign vectors still fit an integer of 64 bits."""


@lru_cache(maxsize=EXACT_UP_TO + 1)
def null_counts(n: int) -> NDArray[np.int64]:
    """How many of the 2^n sign vectors give each sum t of the positive ranks: (n(n+1)/2 + 1,), for n ≤ 60."""
    if not 0 <= n <= EXACT_UP_TO:
        raise ValueError(f"the distribution is counted for 0 to {EXACT_UP_TO} values, not {n}")
    counts = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    counts[0] = 1
    for rank in range(1, n + 1):
        counts[rank:] += counts[:-rank].copy()
    counts.flags.writeable = False
    return counts


@lru_cache(maxsize=1024)
def critical_rank(n: int, confidence: float) -> tuple[int, float]:
    """Which Walsh average ends the interval, counted from either end: ``(k, P(T ≤ k - 1))``.

    ``k`` is the largest whose probability is at most half of what the confidence leaves over; ``(0, 0.0)`` if
    there is none. Exact for n ≤ 60. Beyond, one less than the normal approximation with continuity correction says
    (Hollander and Wolfe 1999, 3.1), which at some levels is one too many.
    """
    allowed = tail(confidence)
    if n <= EXACT_UP_TO:
        at_most = np.cumsum(null_counts(n))
        k = int(np.searchsorted(at_most, math.floor(Fraction(allowed) * 2**n), side="right"))
        return k, int(at_most[k - 1]) / 2**n if k else 0.0
    mean, deviation = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean - 0.5 + normal_quantile(allowed) * deviation)), allowed


def signed_rank_p(values: ArrayLike) -> float:
    """Two-sided p of the signed-rank test that the values (n,) lie symmetrically about 0; 1.0 for none.

    Exact for any n, given the ranks: ties share the mean of their ranks, and the distribution is that of the
    doubled ranks under fair signs. Zeros are ranked with the others and then dropped (Pratt, Remarks on zeros
    and ties in the Wilcoxon signed rank procedures, JASA 54, 1959). Time grows with the cube of n.
    Raises ValueError if a value is not finite. Source: Wilcoxon 1945; Hollander and Wolfe 1999, 3.1.
    """
    if np.size(values) == 0:
        return 1.0
    vector = finite(values)
    _, group, size = np.unique(np.abs(vector), return_inverse=True, return_counts=True)
    doubled = (2 * (np.cumsum(size) - size) + size + 1)[group]
    total, positive = int(doubled[vector != 0].sum()), int(doubled[vector > 0].sum())
    smaller = min(positive, total - positive)
    chance = np.zeros(smaller + 1)
    chance[0] = 1.0
    for rank in doubled[vector != 0].tolist():
        kept = chance[: max(0, smaller + 1 - rank)] / 2
        chance /= 2
        chance[rank:] += kept
    return min(1.0, 2 * float(chance.sum()))
