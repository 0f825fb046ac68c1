"""Every two policies of a class, each pair alone by its own pairs of values: who is better, and the ranks that follow.

No other policy has a say in a pair, so that whoever joins a table changes nothing between those who are there. The
differences are of what counts in strict, against the track's first reference whichever is shown.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
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

__all__ = ["Ahead", "Met", "ahead", "at_home", "differences", "home", "meet", "ranks"]

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


def at_home(
    index: "duckdb.DuckDBPyConnection", question: Question, able: Collection[str], sides: Sequence[Side]
) -> Sequence[Side]:
    """The ``sides`` of a question against the track's first reference, on the same programs; the sides themselves
    where somebody who is ``able`` to hold a rank has no place there.
    """
    if not able or question.reference == facts_of(question.track).references[0]:
        return sides
    found = home(index, replace(question, benchmarks=tuple(sides[0].results)))
    return found if {*able} <= {side.policy for side in found} else sides


def meet(index: "duckdb.DuckDBPyConnection", question: Question) -> Met:
    """Of a metric with pairs: every two objects of a program that were timed together. Nothing for others."""
    if not question.quantity.paired:
        return {}
    found = index.execute(duels_sql(question)).fetchall()
    return {(benchmark, one, other): timed(pairs) for benchmark, one, other, pairs in found}


def ahead(sides: Sequence[Side], met: Met, *, paired: bool) -> Ahead:
    """Of every two distinct entries: which is better on average, and the chance that they are equal.

    A policy that failed programs is also compared as if they counted as no more than its own worst, and is worse if
    that says so: a failure must not hide a difference by the spread that it makes.
    """
    pairs = list(combinations(distinct(sides), 2))
    asked: list[list[float | None]] = []
    for one, other in pairs:
        asked.append(differences(one, other, met, paired=paired))
        asked.append(differences(one, other, met, paired=paired, spared=one) if one.failed else [])
        asked.append(differences(one, other, met, paired=paired, spared=other) if other.failed else [])
    told = _chances(asked, pairs[0][0].clusters if pairs else ())
    found: dict[tuple[str, str], Chance | None] = {}
    for number, (one, other) in enumerate(pairs):
        strict, ours, theirs = told[3 * number : 3 * number + 3]
        worse = next((found for found, sign in ((ours, -1), (theirs, 1)) if found and _says(found, sign)), None)
        answer = worse if worse and strict and not strict[1].below(LEVEL) else strict
        if answer is None:
            found[one.policy, other.policy] = None
        else:
            mean, chance = answer
            found[(one.policy, other.policy) if mean > 0 else (other.policy, one.policy)] = chance
    return found


def _says(found: tuple[float, Chance], sign: int) -> bool:
    """Whether it is told that the mean has this sign."""
    mean, chance = found
    return mean * sign > 0 and bool(chance.below(LEVEL))


def _chances(asked: Sequence[Sequence[float | None]], clusters: Sequence[str]) -> list[tuple[float, Chance] | None]:
    """Of each line of differences, its mean and the chance that the two are equal; None where too few programs have
    one.

    Lines that differ on the same clusters are tested together, which changes none of them: the sign vectors depend on
    these clusters alone.
    """
    lines: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = defaultdict(list)
    for number, values in enumerate(asked):
        there = tuple(place for place, value in enumerate(values) if value is not None)
        if values and len(there) >= _MET * len(values):
            own = [clusters[place] for place in there]
            sums = Table.of([[value for value in values if value is not None]], own).sums[:, 0]
            lines[there, tuple(np.flatnonzero(sums).tolist())].append(number)
    found: list[tuple[float, Chance] | None] = [None] * len(asked)
    for (there, _), numbers in lines.items():
        own = [clusters[place] for place in there]
        values_ = [[value for value in asked[number] if value is not None] for number in numbers]
        told = remembered("pairs", [values_, own], partial(_alone, values_, own))
        for number, (mean, *chance) in zip(numbers, told, strict=True):
            found[number] = mean, Chance(*chance)
    return found


def _alone(values: Sequence[Sequence[float]], clusters: Sequence[str]) -> list[tuple[float, float, float, float]]:
    """Of each line (programs,), its mean and the chance that it is 0."""
    table = Table.of(values, clusters)
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


def differences(one: Side, other: Side, met: Met, *, paired: bool, spared: Side | None = None) -> list[float | None]:
    """Of each program, by how much ``one`` is better: of what counts in strict, and of times by the pairs of the two.

    ``spared``: the side whose failures count as its own worst alone. None: they never met on the program.
    """
    ours = one.lenient if spared is one else one.means
    theirs = other.lenient if spared is other else other.means
    return [
        _difference(one, other, benchmark, met)
        if paired and one.results[benchmark].completed and other.results[benchmark].completed
        else mine - its
        for benchmark, mine, its in zip(one.results, ours, theirs, strict=True)
    ]


def _difference(one: Side, other: Side, benchmark: str, met: Met) -> float | None:
    """Of a timed program that both completed."""
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
