"""Sign flips of clusters: which policies differ from what they are compared with, and by how much at least.

The hypothesis is that a policy's log-ratio on a cluster of programs is as likely to be v as -v. Under it, any cluster's
sign may be flipped, for all policies at once (Canay, Romano and Shaikh, Randomization tests under an approximate
symmetry assumption, Econometrica 85, 2017). The statistic is |t| with a standard error that is robust against likeness
within a cluster (Liang and Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73, 1986, with
the factor C/(C-1)). Several policies are tested by step-down max-T (Westfall and Young, Resampling-based multiple
testing, 1993, section 2.6; Romano and Wolf, Exact and approximate stepdown methods for multiple hypothesis testing,
JASA 100, 2005).
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.statistics.values import Floats

__all__ = [
    "DRAWS",
    "EXACT_UP_TO",
    "LEVEL",
    "Chance",
    "Family",
    "Table",
    "equivalence_p",
    "family",
    "interval",
    "pair_chance",
]

EXACT_UP_TO = 20
"""Clusters up to which every sign vector is tried: 2^19, without mirror images."""
DRAWS = 2**18
"""Random sign vectors beyond."""
LEVEL = 0.05
_BAND = 4.0
"""Standard errors of a drawn p on either side within which nothing is decided."""
_FEW = 14
"""Clusters up to which an interval tries every sign vector."""
_FARTHEST = 1e3
"""Standard errors beyond which an interval has no end."""
_ROUNDING = 1e-9
"""Statistics that differ by less than this share are equal."""
_AT_ONCE = 2**15
"""Sign vectors whose statistics are held in memory."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A p, and how far the drawn sign vectors let it be known."""

    p: float
    low: float
    high: float
    """Equal to p where every sign vector was tried."""

    def below(self, level: float) -> bool | None:
        """Whether it is at most ``level``; None where the draws do not tell."""
        return None if self.low <= level < self.high else self.high <= level


_SURE = Chance(1.0, 1.0, 1.0)
"""Of a policy that is what it is compared with."""


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Log-ratios of policies by clusters: sums (clusters, policies), and programs in each cluster (clusters,)."""

    sums: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: ArrayLike, clusters: Sequence[Hashable]) -> "Table":
        """Of log-ratios (policies, programs), and each program's cluster.

        Raises ValueError if the table is no table of finite values, or programs and clusters do not fit.
        """
        table = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
            raise ValueError(f"expected a table of finite values, policies by programs, not the shape {table.shape}")
        if len(clusters) != table.shape[1]:
            raise ValueError(f"{table.shape[1]} programs in {len(clusters)} clusters")
        names = list(dict.fromkeys(clusters))
        member = np.array([[name == cluster for cluster in clusters] for name in names], dtype=np.float64)
        return cls(member @ table.T, member.sum(axis=1))

    @property
    def means(self) -> Floats:
        """(policies,)"""
        means: Floats = self.sums.sum(axis=0) / self.sizes.sum()
        return means

    def moved(self, by: float) -> "Table":
        """The same of log-ratios that are smaller by so much."""
        return Table(self.sums - by * self.sizes[:, np.newaxis], self.sizes)

    @property
    def errors(self) -> Floats:
        """Robust standard errors of the means: (policies,). NaN for one cluster."""
        clusters, total = len(self.sizes), self.sizes.sum()
        if clusters < 2:
            return np.full(self.sums.shape[1], math.nan)
        away = self.sums - self.sizes[:, np.newaxis] * self.means
        errors: Floats = np.sqrt(clusters / (clusters - 1) * (away**2).sum(axis=0)) / total
        return errors


@dataclass(frozen=True, slots=True)
class Family:
    """What the flips say of all policies of a table together."""

    chances: tuple[Chance, ...]
    """Of each policy, that its mean is 0: two-sided, adjusted for all."""
    alone: tuple[Chance, ...]
    """The same, each by itself."""
    critical: float
    """What the largest |t| must reach; infinite where the clusters are too few for any."""


def family(table: Table, level: float = LEVEL) -> Family:
    """Whether policies differ from 0, with a family-wise error of at most ``level``.

    The smallest p that can be is 2^(1-clusters). Policies with the same values change nothing for the others.
    """
    observed = _statistics(table, np.ones((1, len(table.sizes))))[0]
    order = np.argsort(-observed, kind="stable")
    reach = observed[order] * (1 - _ROUNDING)
    together, alone = np.zeros((2, len(order)), dtype=np.int64)
    largest: list[Floats] = []
    for signs in _signs(table):
        drawn = _statistics(table, signs)[:, order]
        alone += np.count_nonzero(drawn >= reach, axis=0)
        drawn = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        together += np.count_nonzero(drawn >= reach, axis=0)
        largest.append(drawn[:, 0])
    maxima = np.sort(np.concatenate(largest))
    total = maxima.size
    chances, own = [_SURE] * len(order), [_SURE] * len(order)
    steps = np.maximum.accumulate(together)
    for step, place in enumerate(order.tolist()):
        if observed[place] > 0:
            chances[place] = _chance(int(steps[step]), total, exact=_is_exact(table))
            own[place] = _chance(int(alone[step]), total, exact=_is_exact(table))
    beyond = math.floor(level * total + _ROUNDING)
    return Family(tuple(chances), tuple(own), float(maxima[-beyond]) if beyond else math.inf)


def _chance(hits: int, total: int, *, exact: bool) -> Chance:
    """Of so many of all sign vectors, or of drawn ones, to which the values' own is added."""
    if exact:
        return Chance(hits / total, hits / total, hits / total)
    p = (1 + hits) / (1 + total)
    band = _BAND * math.sqrt(p * (1 - p) / total)
    return Chance(p, max(0.0, p - band), min(1.0, p + band))


def pair_chance(differences: ArrayLike, clusters: Sequence[Hashable]) -> Chance:
    """Of two policies' differences (programs,) alone: that their mean is 0."""
    return family(Table.of(differences, clusters)).chances[0]


def _is_exact(table: Table) -> bool:
    return len(_moving(table)) <= EXACT_UP_TO


def _moving(table: Table) -> NDArray[np.intp]:
    """The clusters in which some policy has a sum: to flip others changes nothing."""
    return np.flatnonzero(np.any(table.sums != 0, axis=1))


def _signs(table: Table) -> Iterator[Floats]:
    """Sign vectors (…, clusters), some at once. The first cluster keeps its sign: mirror images have the same |t|."""
    moving = _moving(table)
    if len(moving) <= EXACT_UP_TO:
        count = 2 ** max(0, len(moving) - 1)
        for at in range(0, count, _AT_ONCE):
            bits = np.arange(at, min(count, at + _AT_ONCE))[:, np.newaxis] >> np.arange(max(0, len(moving) - 1)) & 1
            signs = np.ones((len(bits), len(table.sizes)))
            signs[:, moving[1:]] = 1 - 2 * bits
            yield signs
        return
    for part in range(DRAWS // _AT_ONCE):
        signs = np.ones((_AT_ONCE, len(table.sizes)))
        signs[:, moving] = 1 - 2 * _drawn(part, len(moving))
        yield signs


@lru_cache(maxsize=64)
def _drawn(part: int, count: int) -> NDArray[np.int8]:
    return np.random.default_rng([part, count]).integers(0, 2, (_AT_ONCE, count), dtype=np.int8)


def _statistics(table: Table, signs: Floats) -> Floats:
    """|t| under each sign vector (r, clusters): (r, policies). Infinite without spread; 0 where all is 0."""
    clusters, total = len(table.sizes), table.sizes.sum()
    sizes = table.sizes[:, np.newaxis]
    sums = signs @ table.sums
    means = sums / total
    squares = (table.sums**2).sum(axis=0) - 2 * means * (signs @ (sizes * table.sums)) + means**2 * (sizes**2).sum()
    scale = (table.sums**2).sum(axis=0)
    squares = np.where(squares <= _ROUNDING * scale, 0.0, squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.abs(sums) / np.sqrt(clusters / max(1, clusters - 1) * squares)
    return np.nan_to_num(found, nan=0.0, posinf=np.inf)


def interval(table: Table, confidence: float = 0.95) -> tuple[float, float]:
    """The means of which the flips' test of a table with one policy does not say that its own is another.

    Infinite where the clusters are too few. Beyond 14 clusters, of drawn sign vectors.
    """
    place, error = float(table.means[0]), float(table.errors[0])
    if error == 0:
        return place, place
    allowed = 1 - confidence
    if 1 / len(_few_signs(len(table.sizes))) > allowed + _ROUNDING:
        return -math.inf, math.inf
    flipped = _Flipped.of(table)

    def chance(at: float) -> float:
        drawn = np.abs(flipped.around(at))
        return float(np.mean(drawn >= drawn[0] * (1 - _ROUNDING)))

    return _end(chance, place, -error, allowed), _end(chance, place, error, allowed)


def equivalence_p(table: Table, margin: float) -> float:
    """That the mean of a table with one policy is at least ``margin`` > 0 away from 0, on either side.

    The larger of two one-sided p (Schuirmann, A comparison of the two one-sided tests procedure and the power approach,
    Journal of Pharmacokinetics and Biopharmaceutics 15, 1987), each with all flips or as many drawn ones.
    """
    if float(table.errors[0]) == 0:
        return 0.0 if abs(float(table.means[0])) < margin else 1.0
    flipped = _Flipped.of(table)
    found = []
    for side in (1, -1):
        drawn = flipped.around(side * margin) * side
        both = np.concatenate([drawn, -drawn])  # the mirror images are sign vectors too
        found.append(float(np.mean(both <= drawn[0] * (1 + math.copysign(_ROUNDING, drawn[0])))))
    return max(found)


@dataclass(frozen=True, eq=False, slots=True)
class _Flipped:
    """What the statistics of one policy, moved by whatever amount, are made of: each (r,)."""

    table: Table
    sums: Floats
    counts: Floats
    crossed: Floats
    crossed_counts: Floats

    @classmethod
    def of(cls, table: Table) -> "_Flipped":
        signs, sums, sizes = _few_signs(len(table.sizes)), table.sums[:, 0], table.sizes
        return cls(table, signs @ sums, signs @ sizes, signs @ (sizes * sums), signs @ sizes**2)

    def around(self, at: float) -> Floats:
        """t, with its sign, of the values less ``at``, under each sign vector: (r,). The first has no flip."""
        moved, sizes = self.table.moved(at).sums[:, 0], self.table.sizes
        clusters = len(sizes)
        sums = self.sums - at * self.counts
        means = sums / sizes.sum()
        left = (moved**2).sum() - 2 * means * (self.crossed - at * self.crossed_counts) + means**2 * (sizes**2).sum()
        left = np.where(left <= _ROUNDING * (moved**2).sum(), 0.0, left)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = sums / np.sqrt(clusters / max(1, clusters - 1) * left)
        return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _end(chance: Callable[[float], float], place: float, step: float, allowed: float) -> float:
    """Where the test begins to say no, on one side of the estimate."""
    inside, outside = place, place + step
    while chance(outside) > allowed:
        inside, outside = outside, place + 2 * (outside - place)
        if abs(outside - place) > _FARTHEST * abs(step):
            return math.copysign(math.inf, step)
    for _ in range(30):
        middle = (inside + outside) / 2
        if chance(middle) > allowed:
            inside = middle
        else:
            outside = middle
    return outside


@lru_cache(maxsize=64)
def _few_signs(clusters: int) -> Floats:
    """Sign vectors (r, clusters), the first without a flip: all of up to 14 clusters, or as many drawn ones."""
    if clusters <= _FEW:
        bits = np.arange(2 ** (clusters - 1))[:, np.newaxis] >> np.arange(clusters - 1) & 1
        signs: Floats = np.column_stack([np.ones(len(bits)), 1.0 - 2 * bits])
        return signs
    drawn: Floats = 1.0 - 2.0 * _drawn(0, clusters)[: 2 ** (_FEW - 1)].astype(np.float64)
    drawn[0] = 1
    return drawn
