"""Standings: one SQL query a table, and statistics of its rows. Page and command line show the query that they ran.

Strict, matched and coverage are always given together (docs/methodology.md):

* *ratio* of a policy on a benchmark: reference's value / policy's value, above 1 is better (of a metric where zero
  is a good value, of the values plus one); of run time, what the pairs give; of equal objects exactly 1;
* over several seeds, the geometric mean of theirs;
* *matched*: geometric mean over the benchmarks that both completed, under every seed;
* *strict*: over all benchmarks of the reference; one that failed or was never tried, under any seed, counts as the
  worst of reference, the track's floor and the policy's own worst benchmark, so that a failure never helps;
* *coverage*: the share of the reference's benchmarks that the policy completed;
* *low*, *high*: 95 % interval of strict for programs like these; *these_low*, *these_high*: for these programs,
  where only measurement and seeds are random.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import UsageError
from harness.base.vocabulary import PolicyClass
from harness.policy.manifest import SEARCH_SEEDS
from harness.rank.contest import Result, finite_ratio, result
from harness.rank.entries import Entry, entries, entries_sql, entries_with
from harness.rank.memorised import memorised_remarks, on_copies
from harness.rank.question import Question, floor, quote
from harness.statistics import (
    Effect,
    SuiteEffect,
    Verdict,
    minimum_detectable_effect,
    rank_intervals,
    suite_effect,
)
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "Question",
    "Standing",
    "counted",
    "detectable",
    "standings",
    "standings_sql",
    "too_few",
    "tree_effect",
]

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Standing:
    """A policy's row."""

    suite: str
    target: str
    track: str
    policy_class: str
    metric: str
    policy: str
    reference: str
    rank: int | None
    """Within the class: 1 + how many are surely better. None: not ranked, and ``reasons`` say why."""
    rank_high: int | None
    """The last rank that it may hold: policies that cannot be told apart share ``rank`` to ``rank_high``."""
    strict: float
    matched: float | None
    coverage: float
    low: float | None
    high: float | None
    """95 % interval of strict, for programs like these."""
    these_low: float | None
    these_high: float | None
    """For these programs: the measurement's, and the seeds'."""
    wins: int
    ties: int
    losses: int
    """Programs on which it is better than the reference, not different, and worse or failed. Of times: as far as
    the program's own interval tells."""
    mde: float | None
    """Smallest difference of strict, as a ratio less 1, that would be seen with 80 % power: on these programs for a
    time, on programs like these for what is counted. None where nothing varies, or nothing is known of it."""
    pairs: int | None
    """Independent pairs a program, the median; None where none are needed."""
    seeds: int
    completed: int
    benchmarks: int
    reasons: tuple[str, ...]
    """Why it is not ranked; of one that is, what its rank lacks."""
    decide_cpu: float | None = None
    """CPU seconds of deciding on a program, the median. None where it was not measured."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        fields = asdict(self) | {"reasons": list(self.reasons)}
        fields["class"] = fields.pop("policy_class")
        return fields


standings_sql = entries_sql
"""The query behind ``standings``: one row a policy, program and seed."""


@dataclass(frozen=True, slots=True)
class _Side:
    """A policy on the programs that count."""

    policy: str
    policy_class: str
    seeds: int
    results: Mapping[str, Result]
    counted: Mapping[str, Sequence[float]]
    """Program → what each seed counts as."""
    otherwise: int
    """Programs on which another version of the metric measured it."""

    @property
    def means(self) -> list[float]:
        """Of each program, in the order of all sides."""
        return [exact_mean(np.array(values)) for values in self.counted.values()]


def standings(index: "duckdb.DuckDBPyConnection", question: Question) -> list[Standing]:
    """The table, best first within each class.

    Raises UsageError when the reference has no rows of this question: nothing can be compared then.
    """
    found = entries(index, question)
    sides = _sides(question, [entry for entry in found if entry.reference is not None])
    if not sides:
        raise _nothing(question)
    asked = len({entry.benchmark for entry in found if entry.was_asked})
    required = found[0].min_coverage
    marks = _marks(index, question)
    table = [_standing(question, side, _refusals(question, side, asked, required, marks)) for side in sides]
    table.sort(key=lambda row: (row.policy_class, row.completed == 0, -row.strict, row.policy))
    remarks = memorised_remarks(on_copies(index, question))
    prices = _prices(found)
    return [
        replace(
            row,
            reasons=(*row.reasons, remarks[row.policy]) if row.policy in remarks else row.reasons,
            decide_cpu=prices.get(row.policy),
        )
        for row in _ranked(table, {side.policy: side for side in sides})
    ]


def _prices(found: Sequence[Entry]) -> dict[str, float]:
    """Policy → CPU seconds of deciding on a program, the median. Not of whom none is known."""
    known: dict[str, list[float]] = defaultdict(list)
    for entry in found:
        if entry.decide_cpu is not None:
            known[entry.policy].append(entry.decide_cpu)
    return {policy: statistics.median(seconds) for policy, seconds in known.items()}


def _marks(index: "duckdb.DuckDBPyConnection", question: Question) -> tuple[str, ...]:
    """What is wrong with the campaigns that timed the reference, if something is with each of them."""
    if not question.quantity.paired:
        return ()
    found = index.execute(
        f"""{entries_with(question)}
SELECT marks FROM campaigns WHERE (run, campaign) IN (
  SELECT (t.run, t.campaign) FROM timings t JOIN reference r ON r.benchmark = t.benchmark AND r.object = t.object
  WHERE t.suite = {quote(question.suite)} AND t.target = {quote(question.target)}
) ORDER BY started DESC, campaign"""
    ).fetchall()
    return () if any(not marks for (marks,) in found) else tuple(mark for (marks,) in found for mark in marks)


def _nothing(question: Question) -> UsageError:
    """The error of a question whose reference has no value."""
    return UsageError(
        f"no rows of the reference policy {question.reference!r} for {question.suite}, {question.target}, "
        f"track {question.track}, metric {question.metric}" + "".join(f", {word}" for word in question.restrictions),
        hint=f"run `harness run --suite {question.suite} --policy {question.reference}` first",
    )


def counted(results: Mapping[str, Result], lowest: Mapping[str, Result]) -> dict[str, list[float]]:
    """Program → what each seed counts as in strict. ``lowest``: the track's floor on the same programs.

    A program that failed under any seed counts, under every one, as the worst of the reference, the floor, and what
    the policy did anywhere under any seed: strict is never above matched.
    """
    own = min((place for found in results.values() for place in found.estimates), default=0.0)
    worst = {benchmark: min(0.0, own, *found.estimates) for benchmark, found in lowest.items()}
    return {
        benchmark: found.estimates if found.completed else [worst.get(benchmark, min(0.0, own))] * len(found.contests)
        for benchmark, found in results.items()
    }


def _sides(question: Question, found: Iterable[Entry]) -> list[_Side]:
    by_policy: dict[tuple[str, str], dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in found:
        by_policy[entry.policy, entry.policy_class][entry.benchmark].append(entry)
    results = {
        names: {b: result(entry.contest for entry in mine) for b, mine in sorted(programs.items())}
        for names, programs in by_policy.items()
    }
    lowest = next((found for (policy, _), found in results.items() if policy == floor(question)), {})
    return [
        _Side(
            policy,
            policy_class,
            max(len(found.contests) for found in mine.values()),
            mine,
            counted(mine, lowest),
            sum(any(e.otherwise and not e.same_object for e in of) for of in by_policy[policy, policy_class].values()),
        )
        for (policy, policy_class), mine in results.items()
    ]


def tree_effect(results: Sequence[Result], counted: Sequence[Sequence[float]]) -> SuiteEffect:
    """The mean over programs, each with what its seeds count as, and its intervals.

    Seeds that are timed in the same blocks share noise, which their spread does not show: that of the programs with
    several seeds is added to the interval for these programs, in squares.
    """
    tree = [
        [found.contests[0].items]
        if len(values) == 1 and found.effect is not None and found.contests[0].items
        else [[value] for value in values]
        for found, values in zip(results, counted, strict=True)
    ]
    effect = suite_effect(tree)
    own = [
        math.fsum(contest.effect.half_width for contest in found.contests if contest.effect) / len(values)
        for found, values in zip(results, counted, strict=True)
        if len(values) > 1
    ]
    shared = math.hypot(*own) / len(tree)
    if shared == 0:
        return effect
    place, (low, high) = effect.estimate, effect.these
    these = (place - math.hypot(place - low, shared), place + math.hypot(high - place, shared))
    like = effect.like_these
    return replace(effect, these=these, like_these=like and (min(like[0], these[0]), max(like[1], these[1])))


def detectable(place: float, interval: tuple[float, float] | None) -> float | None:
    """The smallest difference that this interval would have shown, as a ratio less 1."""
    if interval is None:
        return None
    found = minimum_detectable_effect(Effect(place, *interval, 1))
    return math.expm1(found) if 0 < found < math.inf else None


def _standing(question: Question, side: _Side, refusals: Sequence[str]) -> Standing:
    results = list(side.results.values())
    effect = tree_effect(results, list(side.counted.values()))
    matched = [found.effect.estimate for found in results if found.effect is not None]
    complete = len(matched) == len(results)
    words = [Verdict.UNRESOLVED.value if found.completed and found.marks else found.word for found in results]
    pairs = [found.pairs for found in results if found.pairs is not None]
    low, high = effect.like_these or (None, None)
    wins = words.count(Verdict.BETTER.value)
    losses = words.count(Verdict.WORSE.value) + words.count(None)
    return Standing(
        suite=question.suite,
        target=question.target,
        track=question.track,
        policy_class=side.policy_class,
        metric=question.metric,
        policy=side.policy,
        reference=question.reference,
        rank=None,
        rank_high=None,
        strict=math.exp(effect.estimate),
        matched=math.exp(effect.estimate if complete else exact_mean(np.array(sorted(matched)))) if matched else None,
        coverage=len(matched) / len(results),
        low=finite_ratio(low),
        high=finite_ratio(high),
        these_low=finite_ratio(effect.these[0]),
        these_high=finite_ratio(effect.these[1]),
        wins=wins,
        ties=len(words) - wins - losses,
        losses=losses,
        mde=detectable(effect.estimate, effect.these if question.quantity.paired else effect.like_these),
        pairs=round(statistics.median(pairs)) if pairs else None,
        seeds=side.seeds,
        completed=len(matched),
        benchmarks=len(results),
        reasons=tuple(refusals),
    )


def _refusals(
    question: Question, side: _Side, asked: int, required: float, campaign_marks: tuple[str, ...]
) -> list[str]:
    """Why a policy is not ranked: nothing, when it is.

    ``asked``: programs that the metric was asked for on; ``required``: the suite's share of them;
    ``campaign_marks``: of all campaigns, if none is sound.
    """
    found: list[str] = []
    if question.quantity.not_ranked:
        found.append(question.quantity.not_ranked)
    if side.otherwise:
        some = f"on {side.otherwise} of {len(side.results)} programs"
        found.append(f"measured by another version of {question.metric} than the reference {some}: run both again")
    completed = sum(one.completed for one in side.results.values())
    programs = max(asked, len(side.results))
    if completed < required * programs - 1e-9:
        found.append(f"coverage {completed} of {programs} is below the suite's rule of {100 * required:.0f} %")
    marked = [one for one in side.results.values() if one.marks]
    marks = dict.fromkeys(mark for one in marked for mark in one.marks) or dict.fromkeys(campaign_marks)
    if marks:  # without any sound campaign, not even the reference is ranked by time
        some = f" on {len(marked)} of {len(side.results)} programs" if 0 < len(marked) < len(side.results) else ""
        found.append(f"timed only in a marked campaign{some}: {'; '.join(marks)}")
    return found


def _ranked(table: Sequence[Standing], sides: Mapping[str, _Side]) -> list[Standing]:
    """The table with ranks: within a class, of those that nothing speaks against."""
    done: list[Standing] = []
    for name in dict.fromkeys(row.policy_class for row in table):
        group = [row for row in table if row.policy_class == name]
        able = [row for row in group if not row.reasons]
        ranks: dict[str, tuple[int, int]] = {}
        remarks: tuple[str, ...] = ()
        if able:
            found, _ = rank_intervals([sides[row.policy].means for row in able])
            ranks = {row.policy: (one.low, one.high) for row, one in zip(able, found, strict=True)}
            remarks = too_few(able[0].benchmarks, len(able), "programs")
        for row in group:
            low, high = ranks.get(row.policy, (None, None))
            lacking = remarks if low is not None else ()
            if name == PolicyClass.SEARCH.value and row.seeds < SEARCH_SEEDS:
                lacking = (*lacking, f"{row.seeds} of the {SEARCH_SEEDS} seeds that a search needs")
            done.append(replace(row, rank=low, rank_high=high, reasons=row.reasons + lacking))
    return done


def too_few(programs: int, policies: int, what: str) -> tuple[str, ...]:
    """The remark on a table whose programs (``what`` they are called) cannot order its policies, whatever they show."""
    tests = policies * (policies - 1) // 2
    if tests == 0:
        return ()
    needed = 1 + math.ceil(math.log2(tests / (1 - _CONFIDENCE)) - 1e-9)
    if programs >= needed:
        return ()
    what = what.removesuffix("s") if programs == 1 else what
    return (f"{programs} {what}: no order of {policies} policies can be told from fewer than {needed}",)
