"""Every two policies of a class, each pair alone by its own pairs of values: who is better, and the ranks that follow.

No other policy has a say in a pair, so that whoever joins a table changes nothing between those who are there. The
differences are of what counts in strict, against the track's first reference whichever is shown.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from harness.policy.tracks import facts_of
from harness.rank.contest import Contest, known, timed
from harness.rank.entries import duels_sql, entries
from harness.rank.question import Question, floor
from harness.rank.remembered import remembered
from harness.rank.sides import Side, distinct, sides_of
from harness.statistics import Chance, Table, family
from harness.statistics.flips import LEVEL
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = ["Ahead", "ahead", "home", "meet", "ranks"]

Ahead = Mapping[tuple[str, str], Chance | None]
"""(better on average, other) → that they are equal; None where they never met on enough programs."""
_MET = 0.8
"""The share of the programs on which two policies were timed together, at least."""
Met = Mapping[tuple[str, str, str], Contest]
"""(program, object, other object) → what their pairs give."""


def home(index: "duckdb.DuckDBPyConnection", question: Question) -> list[Side]:
    """All sides against the track's first reference, or the question's own where nothing is known of that one."""
    first = facts_of(question.track).references[0]
    for reference in dict.fromkeys((first, question.reference)):
        asked = replace(question, reference=reference)
        if sides := sides_of((one for one in entries(index, asked) if one.reference is not None), floor(asked)):
            return sides
    return []


def meet(index: "duckdb.DuckDBPyConnection", question: Question) -> Met:
    """Of a metric with pairs: every two objects of a program that were timed together. Nothing for others."""
    if not question.quantity.paired:
        return {}
    found = index.execute(duels_sql(question)).fetchall()
    return {(benchmark, one, other): timed(pairs) for benchmark, one, other, pairs in found}


def ahead(sides: Sequence[Side], met: Met, *, paired: bool) -> Ahead:
    """Of every two distinct entries: which is better on average, and the chance that they are equal."""
    found: dict[tuple[str, str], Chance | None] = {}
    by_programs: dict[tuple[int, ...], list[tuple[Side, Side, list[float]]]] = defaultdict(list)
    for one, other in combinations(distinct(sides), 2):
        values = [_difference(one, other, place, met) if paired else one.means[place] - other.means[place]
                  for place in range(len(one.means))]  # fmt: skip
        there = tuple(place for place, value in enumerate(values) if value is not None)
        if len(there) < _MET * len(values):
            found[one.policy, other.policy] = None
            continue
        by_programs[there].append((one, other, [value for value in values if value is not None]))
    for there, pairs in by_programs.items():
        clusters = [pairs[0][0].clusters[place] for place in there]
        told = remembered("pairs", [[values for _, _, values in pairs], clusters], partial(_alone, pairs, clusters))
        for (one, other, _), (mean, *chance) in zip(pairs, told, strict=True):
            found[(one.policy, other.policy) if mean > 0 else (other.policy, one.policy)] = Chance(*chance)
    return found


def _alone(
    pairs: Sequence[tuple[Side, Side, list[float]]], clusters: Sequence[str]
) -> list[tuple[float, float, float, float]]:
    """Of each pair, its mean and the chance that the two are equal."""
    table = Table.of([values for _, _, values in pairs], clusters)
    chances = family(table).alone
    return [(mean, one.p, one.low, one.high) for mean, one in zip(table.means.tolist(), chances, strict=True)]


def ranks(sides: Sequence[Side], found: Ahead) -> dict[str, tuple[int, int]]:
    """Policy → 1 + how many distinct entries are better, and how many distinct entries are not worse."""
    first = {side.identity: side.policy for side in distinct(sides)}
    wins, losses = dict.fromkeys(first.values(), 0), dict.fromkeys(first.values(), 0)
    for (better, worse), chance in found.items():
        if chance is not None and chance.below(LEVEL):
            wins[better] += 1
            losses[worse] += 1
    return {side.policy: (1 + losses[first[side.identity]], len(first) - wins[first[side.identity]]) for side in sides}


def _difference(one: Side, other: Side, place: int, met: Met) -> float | None:
    """Of a timed program: by the pairs of the two; where either failed, of what counts. None: they never met."""
    benchmark = list(one.results)[place]
    if not (one.results[benchmark].completed and other.results[benchmark].completed):
        return one.means[place] - other.means[place]
    ours, theirs = one.objects[benchmark], other.objects[benchmark]
    found = []
    for number in range(int(np.lcm(len(ours), len(theirs)))):
        contest = _contest(benchmark, ours[number % len(ours)], theirs[number % len(theirs)], met)
        if contest is None or contest.estimate is None:
            return None
        found.append(contest.estimate)
    return exact_mean(np.array(found))


def _contest(benchmark: str, mine: str | None, theirs: str | None, met: Met) -> Contest | None:
    if mine == theirs:
        return known(1.0)
    if (there := met.get((benchmark, str(mine), str(theirs)))) is not None:
        return there
    back = met.get((benchmark, str(theirs), str(mine)))
    return None if back is None else replace(back, estimate=None if back.estimate is None else -back.estimate)
