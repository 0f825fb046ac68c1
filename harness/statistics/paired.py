"""One program, two policies: the effect of a series of paired log-ratios, its interval, and what it means."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from harness.statistics.signed_rank import critical_rank, signed_rank_p
from harness.statistics.values import Floats, exact_mean, finite, tail

__all__ = [
    "FLOOR",
    "MIN_PAIRS",
    "SEQUENTIAL",
    "Effect",
    "Verdict",
    "by_layout",
    "hodges_lehmann",
    "hodges_lehmann_interval",
    "identical",
    "is_narrow",
    "median_interval",
    "paired_effect",
    "signed_rank_p",
    "verdict",
    "walsh_averages",
]

FLOOR = math.log(1.005)
"""Half a percent, as a log-ratio: smaller effects are practically none."""

MIN_PAIRS = 10
"""Fewer independent items than these decide nothing."""

SEQUENTIAL = 0.97
"""The nominal confidence of a campaign that stops once its interval is narrow.

Looking after each item favours intervals that are narrow by chance: simulated, 95 % so stopped are 93 to 95 %, 97 % are
at least 95 %. Both the stop and the verdict take it.
"""


@dataclass(frozen=True, slots=True)
class Effect:
    """An estimate and its interval, as log-ratios. Raises ValueError unless low ≤ estimate ≤ high."""

    estimate: float
    low: float
    high: float
    count: int
    """Independent items that it rests on; 0: nothing was measured because the effect is known."""

    def __post_init__(self) -> None:
        if not self.low <= self.estimate <= self.high or self.count < 0:
            raise ValueError(f"no effect: {self.low} ≤ {self.estimate} ≤ {self.high} from {self.count} items")

    @property
    def half_width(self) -> float:
        """Half of the interval's length; infinite with either end."""
        return (self.high - self.low) / 2

    @property
    def ratio(self) -> float:
        """The estimate as a ratio: above 1 is better."""
        return math.exp(self.estimate)

    @property
    def ratio_low(self) -> float:
        """The interval's lower end as a ratio."""
        return math.exp(self.low)

    @property
    def ratio_high(self) -> float:
        """The interval's upper end as a ratio."""
        return math.exp(self.high)


def identical() -> Effect:
    """The effect of a byte-identical object: none, and known without a measurement."""
    return Effect(0.0, 0.0, 0.0, 0)


def median_interval(values: ArrayLike, confidence: float = 0.95) -> Effect:
    """The median of values (n,) and the sign-test interval between two of the ordered values.

    Exact for any continuous distribution, symmetric or not: the true level is at least ``confidence``. The ends
    are infinite where n is too small for it (n < 6 at 0.95). Raises ValueError if a value is not finite.
    Source: Conover, Practical Nonparametric Statistics, 3rd edition 1999, section 3.2.
    """
    vector = np.sort(finite(values))
    k = _critical_order(vector.size, confidence)
    return _between(float(np.median(vector)), vector, k, vector.size)


def hodges_lehmann(values: ArrayLike) -> float:
    """The median of the means of all pairs of values (n,), each value with itself included.

    Source: Hodges and Lehmann, Estimates of location based on rank tests, Annals of Mathematical Statistics 34, 1963.
    """
    return float(np.median(walsh_averages(finite(values))))


def hodges_lehmann_interval(values: ArrayLike, confidence: float = 0.95) -> Effect:
    """The Hodges–Lehmann estimate of values (n,) and the interval that inverts the signed-rank test.

    Its true level is at least ``confidence`` for values that are symmetric about a common centre, even with
    different spreads, as differences within randomly ordered pairs are; exact for n ≤ 60, closely beyond. The
    ends are infinite where n is too small (n < 6 at 0.95). Raises ValueError if a value is not finite.
    Source: Hollander and Wolfe 1999, section 3.3 (Lehmann 1963; Tukey 1949).
    """
    vector = finite(values)
    averages = np.sort(walsh_averages(vector))
    k, _ = critical_rank(vector.size, confidence)
    return _between(float(np.median(averages)), averages, k, vector.size)


def by_layout(values: ArrayLike, layouts: Sequence[Hashable]) -> Floats:
    """The mean of each layout's values, in the order in which the layouts first appear: (layouts,).

    Pairs of one layout share its luck, so that layouts, not pairs, are the independent items (Kalibera and Jones,
    Rigorous benchmarking in reasonable time, ISMM 2013). Raises ValueError unless each value has its layout.
    """
    vector = finite(values)
    if len(layouts) != vector.size:
        raise ValueError(f"{vector.size} values of {len(layouts)} layouts")
    groups: dict[Hashable, list[float]] = {}
    for layout, value in zip(layouts, vector.tolist(), strict=True):
        groups.setdefault(layout, []).append(value)
    return np.array([exact_mean(np.array(group)) for group in groups.values()])


def paired_effect(values: ArrayLike, layouts: Sequence[Hashable] | None = None, confidence: float = 0.95) -> Effect:
    """The effect of paired log-ratios (n,): Hodges–Lehmann with its interval, over the layouts' means if given."""
    return hodges_lehmann_interval(values if layouts is None else by_layout(values, layouts), confidence)


class Verdict(StrEnum):
    """What an effect lets one say of a policy."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equivalent"
    UNRESOLVED = "unresolved"


def verdict(effect: Effect, floor: float = FLOOR) -> Verdict:
    """Better or worse: the interval excludes 0 and the estimate reaches ``floor`` ≥ 0 (a log-ratio).

    Equivalent: the interval lies within ± ``floor``. Fewer than ``MIN_PAIRS`` items leave it unresolved, except none:
    that effect is known.
    """
    if 0 < effect.count < MIN_PAIRS:
        return Verdict.UNRESOLVED
    if effect.low > 0 and effect.estimate >= floor:
        return Verdict.BETTER
    if effect.high < 0 and effect.estimate <= -floor:
        return Verdict.WORSE
    return Verdict.EQUAL if -floor <= effect.low and effect.high <= floor else Verdict.UNRESOLVED


def is_narrow(effect: Effect, precision: float) -> bool:
    """Whether the interval's half-width is at most ``precision``: enough is measured."""
    return effect.half_width <= precision


def walsh_averages(vectors: Floats) -> Floats:
    """The means of all pairs i ≤ j along the last axis: (…, n) → (…, n(n+1)/2), in no particular order."""
    first, second = _pairs(vectors.shape[-1])
    averages: Floats = (vectors[..., first] + vectors[..., second]) / 2
    return averages


@lru_cache(maxsize=64)
def _pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The indices i ≤ j of all pairs of n things."""
    return np.triu_indices(n)


@lru_cache(maxsize=1024)
def _critical_order(n: int, confidence: float) -> int:
    """The largest k with P(Bin(n, 1/2) ≤ k - 1) at most half of what the confidence leaves over; 0 if there is none."""
    allowed = math.floor(Fraction(tail(confidence)) * 2**n)
    k, chosen, total = 0, 1, 1
    while total <= allowed:
        k += 1
        chosen = chosen * (n - k + 1) // k
        total += chosen
    return k


def _between(estimate: float, ordered: Floats, k: int, count: int) -> Effect:
    """The effect between the k-th smallest and the k-th largest; without ends if k is 0."""
    if k == 0:
        return Effect(estimate, -math.inf, math.inf, count)
    return Effect(estimate, float(ordered[k - 1]), float(ordered[-k]), count)
