"""What may be said of the policies of a class against the reference, all at once (``harness.statistics.flips``)."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from harness.rank.remembered import remembered
from harness.rank.sides import Side, distinct
from harness.statistics import (
    FLOOR,
    Chance,
    Effect,
    Table,
    equivalence_p,
    family,
    holm,
    minimum_detectable_effect,
    t_quantile,
)
from harness.statistics.flips import LEVEL

__all__ = ["Judgement", "Word", "agreed", "judge", "least_clusters"]

_HALF = 0.5
"""Share of all squared deviations from which on one cluster is far from the others."""
_LEAST_SHIFT = FLOOR / 5
"""A cluster that moves the mean by less than this log-ratio, and no verdict, is not worth a word."""
_POWER = 0.8


class Word(StrEnum):
    """A verdict on a policy's mean over programs like these."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    """Within half a percent."""
    OPEN = "not resolved"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one policy."""

    word: Word
    p: float
    """That its mean is the reference's, adjusted for all policies of the class."""
    detectable: float | None
    """The log-ratio that this verdict would find four times in five; None where it would find none."""
    depends_on: str | None = None
    """The program, or those of one library, without which the verdict would be another, or which is far from all."""
    without: float | None = None
    """The mean log-ratio without it."""


def judge(sides: Sequence[Side]) -> dict[str, Judgement]:
    """Policy → what may be said of it, with a family-wise error of 5 %. ``sides``: of one class.

    Entries that are equal count once.
    """
    first = distinct(sides)
    if not first:
        return {}
    found = _judgements([side.means for side in first], first[0].clusters)
    if any(side.failed for side in first):
        spared = _judgements([side.lenient if side.failed else side.means for side in first], first[0].clusters)
        found = [
            _of_failed(strict, lenient) if side.failed else strict
            for side, strict, lenient in zip(first, found, spared, strict=True)
        ]
    judged = {side.identity: one for side, one in zip(first, found, strict=True)}
    return {side.policy: judged[side.identity] for side in sides}


def _of_failed(strict: Judgement, lenient: Judgement) -> Judgement:
    """Of a policy that failed programs. ``lenient``: as if they counted as no more than its own worst.

    What a failure counts as is far from all else, and the larger the spread the less a test sees. It must not hide that
    a policy is worse on the programs that it completed.
    """
    if lenient.word is Word.WORSE and strict.word is not Word.WORSE:
        return replace(lenient, depends_on=strict.depends_on, without=strict.without)
    return replace(strict, word=Word.OPEN) if strict.word is Word.EQUIVALENT else strict


def _judgements(means: Sequence[Sequence[float]], clusters: Sequence[str]) -> list[Judgement]:
    told = remembered("verdicts", [LEVEL, FLOOR, means, clusters], lambda: _family(means, clusters))
    return [Judgement(Word(word), *rest) for word, *rest in told]


def _family(means: Sequence[Sequence[float]], clusters: Sequence[str]) -> list[tuple[Any, ...]]:
    """Of each policy (policies, programs), the fields of its judgement."""
    tables = [Table.of(line, clusters) for line in means]
    found = family(Table(np.column_stack([table.sums for table in tables]), tables[0].sizes))
    equivalent = holm([equivalence_p(table, FLOOR) for table in tables])
    names = list(dict.fromkeys(clusters))
    return [
        astuple(_judged(table, chance, same <= LEVEL, found.critical, names))
        for table, chance, same in zip(tables, found.chances, equivalent, strict=True)
    ]


def agreed(found: Judgement, place: float, interval: tuple[float, float] | None) -> Judgement:
    """The judgement as far as the mean's interval does not contradict it; log-ratios.

    The interval also holds what a test that assumes symmetric differences does not see. A policy is better or worse
    only where its interval leaves out 0, and equivalent only where its interval lies within half a percent.
    """
    low, high = interval or (-math.inf, math.inf)
    holds = {
        Word.BETTER: low > 0,
        Word.WORSE: high < 0,
        Word.EQUIVALENT: low >= -FLOOR and high <= FLOOR,
        Word.OPEN: True,
    }
    seen = minimum_detectable_effect(Effect(min(max(place, low), high), low, high, 1))
    detectable = None if found.detectable is None or math.isinf(seen) else max(found.detectable, seen)
    return replace(found, word=found.word if holds[found.word] else Word.OPEN, detectable=detectable)


def least_clusters() -> int:
    """From fewer than these nothing can be told, whatever they show."""
    return 1 + math.ceil(-math.log2(LEVEL))


def _judged(table: Table, chance: Chance, equivalent: bool, critical: float, names: Sequence[str]) -> Judgement:
    mean, error = float(table.means[0]), float(table.errors[0])
    p, differs = chance.p, chance.below(LEVEL)
    word = Word.OPEN
    if len(table.sizes) < least_clusters():
        return Judgement(word, p, None)
    if differs:
        word = Word.BETTER if mean > 0 else Word.WORSE
    elif differs is False and equivalent:
        word = Word.EQUIVALENT
    reach = critical + t_quantile(_POWER, max(1, len(table.sizes) - 1))
    detectable = reach * error if math.isfinite(reach) and error > 0 else None
    far = _far(table)
    if far is None:
        return Judgement(word, p, detectable)
    rest = Table(np.delete(table.sums, far, axis=0), np.delete(table.sizes, far))
    share, other = _share(table, far), float(rest.means[0])
    decided = abs(other) >= critical * float(rest.errors[0]) and other != 0
    same = decided == bool(differs) and (not decided or (other > 0) == (mean > 0))
    if same and (share < _HALF or abs(mean - other) < _LEAST_SHIFT):
        return Judgement(word, p, detectable)
    return Judgement(word, p, detectable, names[far], other)


def _far(table: Table) -> int | None:
    """The cluster that is farthest from the mean; None where there are too few to leave one out."""
    if len(table.sizes) <= least_clusters() or not float(table.errors[0]) > 0:
        return None
    return int(np.argmax(np.abs(table.moved(float(table.means[0])).sums[:, 0])))


def _share(table: Table, far: int) -> float:
    squares = table.moved(float(table.means[0])).sums[:, 0] ** 2
    return float(squares[far] / squares.sum())
