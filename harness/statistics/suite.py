"""A suite's mean effect over programs, seeds and items, with two intervals: these programs, programs like these.

A hierarchical bootstrap. Of the levels that an interval is about, the highest that varies is resampled and none below
it, since its spread already holds theirs (Davison and Hinkley, Bootstrap Methods and their Application, 1997, section
3.8). It is studentised: quantiles are those of (resampled - estimate) / standard error of the resample (bootstrap-t;
Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5; Davison and Hinkley 1997, section 5.2).
Percentiles of the estimate itself are too narrow for few items.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from harness.statistics.flips import Table, interval
from harness.statistics.normal import normal_quantile
from harness.statistics.paired import hodges_lehmann_interval, walsh_averages
from harness.statistics.signed_rank import critical_rank
from harness.statistics.student import t_quantile
from harness.statistics.values import Floats, exact_mean, finite, tail

__all__ = ["FEW", "SuiteEffect", "suite_effect"]

FEW = 6
"""Of fewer clusters than these no test says anything at 5 %: their interval is Student's t."""

_NOT_RESAMPLED = 4
"""Of so many clusters or fewer no bootstrap says anything."""
_REPLICATES = 1999
_OF_CLUSTERS = 19_999
"""Resamples of clusters: of 1,999, another seed moves the end of a skewed interval by a tenth of its width."""
_SMOOTHING = 0.5
"""Of a mean's standard error: how far a resampled cluster is moved at random."""
_WORK = 300_000
"""Walsh averages that one call computes, about; each program gets an equal number of resamples."""
_FEWEST = 200
"""Resamples of a program's items at least; the suite's resamples combine them at random."""
_AT_ONCE = 2**20
"""Walsh averages that are held in memory."""
_WIDTH = 0.95
"""Confidence of the signed-rank interval that standard errors are taken from."""


@dataclass(frozen=True, slots=True)
class SuiteEffect:
    """A suite's mean log-ratio with its intervals."""

    estimate: float
    these: tuple[float, float]
    """For these very programs: how far items and seeds move the estimate. Zero width if neither varies."""
    like_these: tuple[float, float] | None
    """For programs like these: how far other programs would move it too. None for fewer than 2."""
    programs: int


@dataclass(frozen=True, slots=True)
class _Resampled:
    """A program whose estimate varies: its squared standard error, and of each resample (r,) shift and square."""

    square: float
    shifts: Floats
    squares: Floats


def suite_effect(
    programs: Sequence[Sequence[ArrayLike]],
    confidence: float = 0.95,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> SuiteEffect:
    """The mean over programs of the mean over seeds of the Hodges–Lehmann estimate of each seed's items.

    ``programs`` are, per program and seed of the policy, the values (n,) of the independent items: the layouts' means
    of paired log-ratios. A single value is exact: a deterministic metric, or 0.0 for an identical object. Seeds must
    be measured independently of each other; a program whose seeds all hold the same values counts as one seed.

    ``these``: items are resampled, with Lehmann's standard error, which is the signed-rank interval's width. Of a
    program with several seeds the seeds are instead, from normal distributions of the spread found (parametric): so
    few show no shape. One program with one seed has its exact signed-rank interval.

    ``like_these``: the means that sign flips of ``clusters`` do not reject (``harness.statistics.flips``), and those of
    a bootstrap of clusters, smoothed (Davison and Hinkley 1997, section 3.4) so that no resample lacks spread: the
    first is too narrow for skewed effects, the second for symmetric ones. It holds ``these`` too. Few
    clusters (2 to 5) have Student's t interval in the place of the test's, right if programs are nearly normal.
    ``clusters``: of each program; programs that share code are one. None: each is one. No interval knows of a kind of
    program that the suite lacks: where one in ten has a large effect, ten programs or fewer say too little too often.

    The order of programs, seeds and items is of no consequence. Raises ValueError for no programs, no seeds, no items,
    or a value that is not finite.
    """
    names = list(clusters) if clusters is not None else list(range(len(programs)))
    if len(names) != len(programs):
        raise ValueError(f"{len(programs)} programs in {len(names)} clusters")
    given = [sorted(tuple(sorted(finite(items).tolist())) for items in seeds) for seeds in programs]
    if not given or not all(given):
        raise ValueError("a suite has programs, and each of them a seed")
    tail(confidence)
    order = sorted(range(len(given)), key=lambda place: given[place])
    tree = [seeds[:1] if seeds[0] == seeds[-1] else seeds for seeds in (given[place] for place in order)]
    found = [[_locate(np.array([items])) for items in seeds] for seeds in tree]
    located = [np.array([float(place[0]) for place, _ in seeds]) for seeds in found]
    means = np.array([places.mean() for places in located])
    estimate = exact_mean(means)
    if len(tree) == 1 and len(tree[0]) == 1 and len(tree[0][0]) > 1:
        only = hodges_lehmann_interval(tree[0][0], confidence)
        return SuiteEffect(estimate, (only.low, only.high), None, 1)
    rng = np.random.default_rng(seed)
    parts: list[_Resampled] = []
    work = sum(n * (n + 1) // 2 for (n, *rest) in ([len(items) for items in seeds] for seeds in tree) if not rest)
    resamples = min(_REPLICATES, max(_FEWEST, _WORK // max(1, work)))
    for seeds, places, errors in zip(tree, located, found, strict=True):
        if len(seeds) > 1:
            parts.append(_resampled_seeds(places, resamples, rng))
        elif float(errors[0][1][0]) > 0:
            parts.append(_resampled_items(np.array(seeds[0]), resamples, rng))
    low, high = _combined([part for part in parts if part.square > 0], confidence, rng)
    these = (estimate + low / len(tree), estimate + high / len(tree))
    if len(tree) < 2:
        return SuiteEffect(estimate, these, None, 1)
    low, high = _other_programs(means, [names[place] for place in order], confidence, rng)
    return SuiteEffect(estimate, these, (min(estimate + low, these[0]), max(estimate + high, these[1])), len(tree))


def _locate(samples: Floats) -> tuple[Floats, Floats]:
    """Hodges–Lehmann estimate and squared standard error of each sample: (r, n) → (r,), (r,).

    The error is Lehmann's (Nonparametric confidence intervals for a shift parameter, Annals of Mathematical Statistics
    34, 1963): the signed-rank interval's width over that of a normal one of the same level. One item has none.
    """
    items = samples.shape[1]
    if items == 1:
        return samples[:, 0], np.zeros(len(samples))
    averages = walsh_averages(samples)
    last = averages.shape[1] - 1
    k, beyond = critical_rank(items, _WIDTH)
    if k == 0:
        k, beyond = 1, 0.5**items
    averages.partition(sorted({k - 1, last // 2, last - last // 2, last - k + 1}), axis=1)
    places = (averages[:, last // 2] + averages[:, last - last // 2]) / 2
    width = averages[:, last - k + 1] - averages[:, k - 1]
    return places, (width / (2 * normal_quantile(1 - beyond))) ** 2


def _resampled_items(items: Floats, resamples: int, rng: Generator) -> _Resampled:
    """One seed's items (n,), n ≥ 2, drawn with replacement."""
    place, square = _locate(items[np.newaxis])
    drawn = items[rng.integers(0, items.size, (resamples, items.size))]
    step = max(1, 2 * _AT_ONCE // (items.size * (items.size + 1)))
    parts = [_locate(drawn[at : at + step]) for at in range(0, resamples, step)]
    places, squares = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _Resampled(float(square[0]), places - place, squares)


def _resampled_seeds(places: Floats, resamples: int, rng: Generator) -> _Resampled:
    """The estimates (s,) of s ≥ 2 seeds, as normal values: the mean's shift, and its square as a chi-square."""
    square = float(np.var(places - places[0], ddof=1)) / places.size
    degrees = places.size - 1
    shifts = math.sqrt(square) * rng.standard_normal(resamples)
    return _Resampled(square, shifts, square * rng.chisquare(degrees, resamples) / degrees)


def _combined(parts: list[_Resampled], confidence: float, rng: Generator) -> tuple[float, float]:
    """How far the sum of the programs' estimates may lie from the truth: below (≤ 0) and above (≥ 0)."""
    if not parts:
        return 0.0, 0.0
    shifts, squares = np.zeros(_REPLICATES), np.zeros(_REPLICATES)
    for part in parts:
        chosen = rng.integers(0, part.shifts.size, _REPLICATES) if part.shifts.size < _REPLICATES else slice(None)
        shifts += part.shifts[chosen]
        squares += part.squares[chosen]
    return _ends(shifts, np.sqrt(squares), math.sqrt(math.fsum(part.square for part in parts)), confidence)


def _other_programs(
    means: Floats, clusters: Sequence[Hashable], confidence: float, rng: Generator
) -> tuple[float, float]:
    """How far the mean of the programs' estimates (p,), p ≥ 2, may lie from that of all programs like them."""
    if np.all(means == means[0]):
        return 0.0, 0.0
    table = Table.of(means, clusters)
    place, error = float(table.means[0]), float(table.errors[0])
    if not error > 0:  # one cluster says nothing of others
        return -math.inf, math.inf
    count = len(table.sizes)
    reach = t_quantile(1 - tail(confidence), count - 1) * error
    first, last = (place - reach, place + reach) if count < FEW else interval(table, confidence)
    if count <= _NOT_RESAMPLED:
        return first - place, last - place
    away, sizes = table.moved(place).sums[:, 0], table.sizes
    chosen = rng.integers(0, count, (_OF_CLUSTERS, count))
    smoothed = _SMOOTHING * float(np.std(away, ddof=1)) / math.sqrt(count) * rng.standard_normal(chosen.shape)
    drawn, drawn_sizes = away[chosen] + smoothed, sizes[chosen]
    shifts = drawn.sum(axis=1) / drawn_sizes.sum(axis=1)
    left = drawn - drawn_sizes * shifts[:, np.newaxis]
    errors = np.sqrt(count / (count - 1) * (left**2).sum(axis=1)) / drawn_sizes.sum(axis=1)
    low, high = _ends(shifts, errors, error, confidence)
    return min(low, first - place), max(high, last - place)


def _ends(shifts: Floats, errors: Floats, error: float, confidence: float) -> tuple[float, float]:
    """The studentised ends, relative to the estimate, from resampled shifts (r,), their errors, and the estimate's own.

    A resample without spread counts as infinitely far; an end beyond the resamples is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = np.where((shifts == 0) & (errors == 0), 0.0, shifts / errors)
    outside = math.floor((quotients.size + 1) * tail(confidence) + 1e-9)
    if outside == 0:
        return -math.inf, math.inf
    quotients.partition([outside - 1, quotients.size - outside])
    return min(0.0, -float(quotients[-outside]) * error), max(0.0, -float(quotients[outside - 1]) * error)
