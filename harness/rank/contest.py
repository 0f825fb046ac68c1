"""Two sides on one program: the effect, its interval, and what may be said of it. All effects are log-ratios.

A *contest* is one seed of a policy against the other side. A program's effect is the mean over the contests.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.statistics import (
    MIN_PAIRS,
    SEQUENTIAL,
    Effect,
    Verdict,
    between,
    by_layout,
    paired_effect,
    t_quantile,
    verdict,
)
from harness.statistics.normal import normal_quantile
from harness.statistics.values import Floats

__all__ = [
    "EQUAL",
    "NEVER",
    "Contest",
    "Result",
    "finite_ratio",
    "known",
    "lost",
    "mean_value",
    "percent",
    "result",
    "timed",
    "word",
]

_HUGE = 1e5
"""A difference in per cent of which no digit but the first two says anything."""
NEVER = "never timed together"
"""Why two objects that were timed have no ratio."""
EQUAL = "equal"
"""The verdict on values or objects that are the same; ``equivalent`` is a time whose difference is practically none."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One seed."""

    estimate: float | None
    """Above 0 the policy is better. None: it did not complete."""
    items: tuple[float, ...] = ()
    """The independent log-ratios behind a time; empty for what is known exactly."""
    effect: Effect | None = None
    why: str = ""
    """Why there is no estimate."""
    marks: tuple[str, ...] = ()
    """What is wrong with the campaigns behind it, where no others timed it."""
    ratio: float | None = None
    """What is known exactly, to the last digit."""
    never: bool = False
    """The two objects were timed, but never together."""
    between: float = 0.0
    """The part of the effect's standard error that comes of differences between campaigns."""


def known(ratio: float) -> Contest:
    """Values that repeat exactly, or the same object."""
    log_ratio = math.log(ratio)
    return Contest(log_ratio, effect=Effect(log_ratio, log_ratio, log_ratio, 0), ratio=ratio)


def lost(why: str) -> Contest:
    """No value."""
    return Contest(None, why=why)


def timed(pairs: Sequence[Mapping[str, Any]]) -> Contest:
    """Pairs with ``campaign``, ``layout``, ``log_ratio`` and ``marks``; too few of them are no measurement."""
    if not pairs:
        return Contest(None, why=NEVER, never=True)
    items = by_layout([pair["log_ratio"] for pair in pairs], [(pair["campaign"], pair["layout"]) for pair in pairs])
    marks = tuple(dict.fromkeys(mark for pair in pairs for mark in pair["marks"]))
    if len(items) < MIN_PAIRS:
        return Contest(None, why=f"{len(items)} pairs of at least {MIN_PAIRS}", marks=marks)
    effect = paired_effect(items, confidence=SEQUENTIAL)  # a campaign looks after each block, and may stop
    error = between(_by_campaign(pairs))
    return Contest(effect.estimate, tuple(items.tolist()), _widened(effect, error), marks=marks, between=error)


def _by_campaign(pairs: Sequence[Mapping[str, Any]]) -> list[Floats]:
    """The layouts' means of each campaign."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for pair in pairs:
        found[pair["campaign"]].append(pair)
    return [by_layout([p["log_ratio"] for p in mine], [p["layout"] for p in mine]) for mine in found.values()]


def _widened(effect: Effect, error: float) -> Effect:
    """With what campaigns differ by, in squares."""
    if error == 0:
        return effect
    reach = normal_quantile(1 - (1 - SEQUENTIAL) / 2) * error
    low, high = (math.hypot(abs(end - effect.estimate), reach) for end in (effect.low, effect.high))
    return replace(effect, low=effect.estimate - low, high=effect.estimate + high)


@dataclass(frozen=True, slots=True)
class Result:
    """All seeds of a policy on one program."""

    contests: tuple[Contest, ...]
    effect: Effect | None
    """None unless every seed completed. Without a width for what one seed gave exactly."""

    @property
    def completed(self) -> bool:
        """Whether every seed did."""
        return self.effect is not None

    @property
    def estimates(self) -> list[float]:
        """Of the seeds that completed."""
        return [contest.estimate for contest in self.contests if contest.estimate is not None]

    @property
    def ratio(self) -> float | None:
        """The effect as a ratio."""
        if len(self.contests) == 1 and self.contests[0].ratio is not None:
            return self.contests[0].ratio
        return None if self.effect is None else self.effect.ratio

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The effect's ends as ratios; None for what one seed gave exactly, and where they are not known."""
        if self.effect is None or self.effect.low == self.effect.high:
            return None, None
        return finite_ratio(self.effect.low), finite_ratio(self.effect.high)

    @property
    def pairs(self) -> int | None:
        """Independent items, of the seed that has fewest; None for what needs none."""
        counts = [len(contest.items) for contest in self.contests if contest.items]
        return min(counts) if counts else None

    @property
    def marks(self) -> tuple[str, ...]:
        """Of the campaigns behind it."""
        return tuple(dict.fromkeys(mark for contest in self.contests for mark in contest.marks))

    @property
    def word(self) -> str | None:
        """The verdict; of what is not timed, exact, or what several seeds show. None without an effect."""
        return None if self.effect is None else word(self.effect, timed=self.pairs is not None)


def finite_ratio(log_ratio: float | None) -> float | None:
    """As a ratio; None for an interval's end that is not known."""
    return None if log_ratio is None or not math.isfinite(log_ratio) else math.exp(log_ratio)


def percent(share: float | None) -> str | None:
    """``0.8 %``, to two significant digits; a thousandfold and more, ``9.5e+06 %``."""
    if share is None:
        return None
    value = 100 * share
    return f"{value:.2g} %" if value < 9.95 else f"{value:.0f} %" if value < _HUGE else f"{value:.1e} %"


def word(effect: Effect, *, timed: bool) -> str:
    """What one may say of an effect; of what is not timed, its sign, unless the interval of its seeds includes 0."""
    if timed:
        return verdict(effect).value
    if effect.low <= 0 <= effect.high:
        return EQUAL if effect.low == effect.high else Verdict.UNRESOLVED.value
    return (Verdict.BETTER if effect.estimate > 0 else Verdict.WORSE).value


def mean_value(values: Iterable[float | None], *, plus_one: bool) -> float | None:
    """Over seeds, the geometric mean of the values there are (``plus_one``: less 1, of the values plus one)."""
    found = [value for value in values if value is not None]
    if len(set(found)) < 2:
        return found[0] if found else None
    shift = 1 if plus_one else 0
    return math.exp(math.fsum(math.log(value + shift) for value in found) / len(found)) - shift


def result(contests: Iterable[Contest]) -> Result:
    """The seeds together.

    The interval of several seeds is Student's over them. Seeds that were timed in the same blocks share the noise
    of the reference, so the mean half-width of their own is added to it, in squares.
    """
    found = tuple(contests)
    effects = [contest.effect for contest in found if contest.effect is not None]
    if not found or len(effects) < len(found):
        return Result(found, None)
    if len(effects) == 1:
        return Result(found, effects[0])
    places = [effect.estimate for effect in effects]
    mean = places[0] + math.fsum(place - places[0] for place in places) / len(places)
    own = math.fsum(effect.half_width for effect in effects) / len(effects)
    among = t_quantile(0.975, len(places) - 1) * statistics.stdev(places) / math.sqrt(len(places))
    half = math.hypot(own, among)
    count = min((len(contest.items) for contest in found if contest.items), default=0)
    return Result(found, Effect(mean, mean - half, mean + half, count))
