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
  where only measurement and seeds are random;
* *verdict*: what may be said of strict against the reference, with a family-wise error over the class
  (``harness.rank.verdicts``); *rank*: from every two policies alone (``harness.rank.pairs``).
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.vocabulary import PolicyClass
from harness.policy.manifest import SEARCH_SEEDS
from harness.policy.tracks import facts_of
from harness.rank.contest import EQUAL, Result, finite_ratio
from harness.rank.entries import Entry, entries, entries_sql
from harness.rank.memorised import memorised_remarks, on_copies
from harness.rank.modelled import modelled
from harness.rank.pairs import ahead, at_home, meet, ranks
from harness.rank.question import Question, floor
from harness.rank.refusals import refusals
from harness.rank.remembered import remembered
from harness.rank.said import CEILING, DETERMINISTIC, problems_of, said, shares_of_ceiling
from harness.rank.sides import Side, sides_of
from harness.rank.unanswered import no_reference
from harness.rank.verdicts import Judgement, Word, agreed, judge, least_clusters
from harness.statistics import Effect, SuiteEffect, Verdict, minimum_detectable_effect, suite_effect
from harness.statistics.normal import normal_quantile
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "Question",
    "Standing",
    "detectable",
    "standings",
    "standings_sql",
    "too_few",
    "tree_effect",
    "word_of",
]


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
    """Within the class: 1 + how many are better, each pair tested alone. None: not ranked, and ``reasons`` say why."""
    rank_high: int | None
    """The last rank that it may hold: policies that cannot be told apart share ``rank`` to ``rank_high``."""
    verdict: str | None
    """``better``, ``worse``, ``equivalent`` (within half a percent) or ``not resolved``. None: not ranked."""
    p: float | None
    """That strict is 1, adjusted for all ranked policies of the class."""
    strict: float | None
    """None where it completed no program: that of what it failed says nothing alone; where it failed a program on which
    the track's floor has no value; and of what compares nothing."""
    matched: float | None
    median: float | None
    """Over programs, of what counts in strict."""
    coverage: float
    low: float | None
    high: float | None
    """95 % interval of strict, for programs like these."""
    these_low: float | None
    these_high: float | None
    """For these programs: the measurement's, and the seeds'."""
    depends_on: str | None
    """The program, or the library of several, without which the verdict would be another, or which is far from all."""
    without: float | None
    """Strict without it."""
    wins: int | None
    ties: int | None
    unresolved: int | None
    losses: int | None
    """Programs on which it is better than the reference, equal or shown to be equivalent, not told apart, and worse or
    failed. None where nothing was completed."""
    mde: float | None
    """Smallest difference of strict, as a ratio less 1, that the verdict would find four times in five. None where
    nothing varies, or the clusters are too few."""
    pairs: int | None
    """Independent pairs a program, the median; None where none are needed."""
    seeds: int
    completed: int
    benchmarks: int
    clusters: int
    """Of the benchmarks, those that share code taken for one."""
    reasons: tuple[str, ...]
    """Why it is not ranked; of one that is, what its rank lacks."""
    decide_cpu: float | None = None
    """CPU seconds of deciding on a program, the median. None where it was not measured, and of a ceiling, whose
    trials were others'."""
    share: float | None = None
    """Of the gain of its problem's highest ceiling over the reference, in logarithms. None without a ceiling."""
    modelled: Mapping[str, float] | None = None
    """Of a time: CPU → strict of modelled cycles."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Programs that count for nobody, since the reference has no value on them: which, and why."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        fields = asdict(self) | {"reasons": list(self.reasons), "left_out": dict(self.left_out)}
        fields["class"] = fields.pop("policy_class")
        return fields


standings_sql = entries_sql
"""The query behind ``standings``: one row a policy, program and seed."""


def standings(index: "duckdb.DuckDBPyConnection", question: Question) -> list[Standing]:
    """The table, best first within each class.

    Raises UsageError when the reference has no rows of this question: nothing can be compared then.
    """
    found = entries(index, question)
    sides = sides_of((entry for entry in found if entry.reference is not None), floor(question))
    if not sides:
        raise no_reference(index, question)
    table = _unranked(index, question, found, sides)
    table.sort(key=lambda row: (row.policy_class, row.strict is None, -(row.strict or 0.0), row.policy))
    remarks = memorised_remarks(on_copies(index, question))
    ceilings = said(index, question, CEILING)
    shares = shares_of_ceiling(sides, ceilings, problems_of(index, question)) if ceilings else {}
    prices, models, left_out = _prices(found), modelled(index, question), _left_out(found, question.reference)
    return [
        replace(
            row,
            reasons=(*row.reasons, remarks[row.policy]) if row.policy in remarks else row.reasons,
            decide_cpu=None if row.policy in ceilings else prices.get(row.policy),
            share=shares.get(row.policy),
            modelled=models.get(row.policy),
            left_out=left_out,
        )
        for row in _ranked(index, question, table, sides)
    ]


def _unranked(
    index: "duckdb.DuckDBPyConnection", question: Question, found: Sequence[Entry], sides: Sequence[Side]
) -> list[Standing]:
    """A row a policy, with why it is not ranked, if something speaks against it."""
    refused = refusals(index, question, found, sides)
    return [_standing(question, side, refused[side.policy]) for side in sides]


def _left_out(found: Sequence[Entry], reference: str) -> tuple[tuple[str, str], ...]:
    mine = [entry for entry in found if entry.policy == reference and entry.reference is None]
    return tuple(dict.fromkeys((entry.benchmark, entry.outcome) for entry in mine))


def _prices(found: Sequence[Entry]) -> dict[str, float]:
    """Policy → CPU seconds of deciding on a program, the median. Not of whom none is known."""
    known: dict[str, list[float]] = defaultdict(list)
    for entry in found:
        if entry.decide_cpu is not None:
            known[entry.policy].append(entry.decide_cpu)
    return {policy: statistics.median(seconds) for policy, seconds in known.items()}


def tree_effect(results: Sequence[Result], counted: Sequence[Sequence[float]], clusters: Sequence[str]) -> SuiteEffect:
    """The mean over programs, each with what its seeds count as and the cluster that it is of, and its intervals.

    Seeds that are timed in the same blocks share noise, which their spread does not show: that of the programs with
    several seeds is added to the interval for these programs, in squares. So is what campaigns differ by.
    """
    tree = [
        [found.contests[0].items]
        if len(values) == 1 and found.effect is not None and found.contests[0].items
        else [[value] for value in values]
        for found, values in zip(results, counted, strict=True)
    ]
    given = [[[list(items) for items in seeds] for seeds in tree], clusters]
    told = remembered("effect", given, partial(_effect, tree, clusters))
    estimate, these, like_these, programs = told
    effect = SuiteEffect(estimate, tuple(these), like_these and tuple(like_these), programs)
    own = [
        math.fsum(contest.effect.half_width for contest in found.contests if contest.effect) / len(values)
        for found, values in zip(results, counted, strict=True)
        if len(values) > 1
    ]
    apart = [normal_quantile(0.975) * contest.between for found in results for contest in found.contests]
    shared = math.hypot(*own, *apart) / len(tree)
    if shared == 0:
        return effect
    place, (low, high) = effect.estimate, effect.these
    these = (place - math.hypot(place - low, shared), place + math.hypot(high - place, shared))
    like = effect.like_these
    return replace(effect, these=these, like_these=like and (min(like[0], these[0]), max(like[1], these[1])))


def _effect(tree: Sequence[Sequence[Sequence[float]]], clusters: Sequence[str]) -> tuple[Any, ...]:
    return astuple(suite_effect(tree, clusters=clusters))


def detectable(place: float, interval: tuple[float, float] | None) -> float | None:
    """The smallest difference that this interval would have shown, as a ratio less 1."""
    if interval is None:
        return None
    found = minimum_detectable_effect(Effect(place, *interval, 1))
    return math.expm1(found) if 0 < found < math.inf else None


def _standing(question: Question, side: Side, refusals: Sequence[str]) -> Standing:
    results = list(side.results.values())
    effect = tree_effect(results, list(side.counted.values()), side.clusters)
    matched = [found.effect.estimate for found in results if found.effect is not None]
    complete = len(matched) == len(results)
    known = bool(matched) and question.quantity.compares and not side.unfloored
    words = [word_of(question, found) for found in results]
    pairs = [found.pairs for found in results if found.pairs is not None]
    low, high = (effect.like_these or (None, None)) if known else (None, None)
    if side.failed and high is not None:  # no mean of strict is above that of the same with the failures spared
        spared = suite_effect([[[value]] for value in side.lenient], clusters=side.clusters).like_these
        high = high if spared is None else min(high, spared[1])
    wins = words.count(Verdict.BETTER.value)
    losses = words.count(Verdict.WORSE.value) + words.count(None)
    unresolved = words.count(Verdict.UNRESOLVED.value)
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
        verdict=None,
        p=None,
        strict=math.exp(effect.estimate) if known else None,
        matched=math.exp(effect.estimate if complete else exact_mean(np.array(sorted(matched))))
        if matched and question.quantity.compares
        else None,
        median=math.exp(statistics.median(side.means)) if known else None,
        coverage=len(matched) / len(results),
        low=finite_ratio(low),
        high=finite_ratio(high),
        these_low=finite_ratio(effect.these[0]) if known else None,
        these_high=finite_ratio(effect.these[1]) if known else None,
        depends_on=None,
        without=None,
        wins=wins if matched else None,
        ties=len(words) - wins - losses - unresolved if matched else None,
        unresolved=unresolved if matched else None,
        losses=losses if matched else None,
        mde=None,
        pairs=round(statistics.median(pairs)) if pairs else None,
        seeds=side.seeds,
        completed=len(matched),
        benchmarks=len(results),
        clusters=len(set(side.clusters)),
        reasons=tuple(refusals),
    )


def word_of(question: Question, found: Result) -> str | None:
    """What may be said of one program; of times without pairs, that they differ is no word on which is better."""
    apart = question.quantity.paired or question.quantity.deterministic
    if found.completed and (found.marks or (question.quantity.not_ranked and not apart)):
        return EQUAL if found.word == EQUAL else Verdict.UNRESOLVED.value
    return found.word


def _ranked(
    index: "duckdb.DuckDBPyConnection", question: Question, table: Sequence[Standing], sides: Sequence[Side]
) -> list[Standing]:
    """The table with verdicts and ranks: within a class, of those that nothing speaks against."""
    able = {row.policy for row in table if not row.reasons}
    first = at_home(index, question, able, sides)
    met = meet(index, question) if able else {}
    judged = _judged(table, sides)
    for other in facts_of(question.track).references:
        if other in judged and other != question.reference:
            judged[other] = _whichever(judged[other], _mirrored(index, question, other))
    places: dict[str, tuple[int, int]] = {}
    for name in dict.fromkeys(row.policy_class for row in table):
        mine = [side for side in first if side.policy in able and side.policy_class == name]
        places |= ranks(mine, ahead(mine, met, paired=question.quantity.paired))
    repeat = said(index, question, DETERMINISTIC)
    identities = {side.policy: side.identity for side in sides}
    entered: dict[str, dict[Hashable, str]] = defaultdict(dict)  # class → those that differ, each by its first policy
    for row in table:
        if row.policy in able:
            entered[row.policy_class].setdefault(identities[row.policy], row.policy)
    done = []
    for row in table:
        lacking: tuple[str, ...] = ()
        if row.policy in able:
            lacking = too_few(row.clusters, "clusters")
            of_class = entered[row.policy_class]
            if (same := of_class[identities[row.policy]]) != row.policy:
                lacking += (f"the same objects as {same}: one entry",)
            elif len(of_class) == 1:
                lacking += ("the only entry of its class that is ranked",)
            if places[row.policy][0] == 1 and _is_not_above(row, question.reference, judged[row.policy], sides):
                first_ = "first" if places[row.policy] == (1, 1) else "perhaps first"
                lacking += (f"{first_} of its class, and not shown to be above {question.reference}",)
        if row.policy_class == PolicyClass.SEARCH.value and row.seeds < SEARCH_SEEDS and row.policy not in repeat:
            lacking = (*lacking, f"{row.seeds} of the {SEARCH_SEEDS} seeds that a search needs")
        low, high = places.get(row.policy, (None, None))
        told = _told(judged[row.policy]) if row.policy in judged and row.policy != question.reference else {}
        done.append(replace(row, rank=low, rank_high=high, reasons=row.reasons + lacking, **told))
    return done


def _judged(table: Sequence[Standing], sides: Sequence[Side]) -> dict[str, Judgement]:
    """Of each policy that nothing speaks against: within its class, and as far as its interval allows."""
    able = {row.policy for row in table if not row.reasons}
    intervals = {row.policy: _logarithms(row) for row in table}
    judged: dict[str, Judgement] = {}
    for name in dict.fromkeys(row.policy_class for row in table):
        found = judge([side for side in sides if side.policy in able and side.policy_class == name])
        judged |= {policy: agreed(one, *intervals[policy]) for policy, one in found.items()}
    return judged


def _mirrored(index: "duckdb.DuckDBPyConnection", question: Question, policy: str) -> Judgement | None:
    """What is said of the question's reference where the ``policy``, which is one too, is the reference."""
    asked = replace(question, reference=policy)
    found = entries(index, asked)
    sides = sides_of((entry for entry in found if entry.reference is not None), floor(asked))
    return _judged(_unranked(index, asked, found, sides), sides).get(question.reference) if sides else None


def _whichever(found: Judgement, mirrored: Judgement | None) -> Judgement:
    """The same verdict on two references, whichever of them is shown: what both classes allow to say."""
    if mirrored is None:
        return found
    opposite = {Word.BETTER: Word.WORSE, Word.WORSE: Word.BETTER}
    same = opposite.get(mirrored.word, mirrored.word) is found.word
    return replace(found, word=found.word if same else Word.OPEN, p=max(found.p, mirrored.p))


def _logarithms(row: Standing) -> tuple[float, tuple[float, float] | None]:
    """Of strict, and of its interval's ends; an end that is not known is infinitely far."""
    if row.strict is None or row.benchmarks < 2:
        return 0.0, None
    low = -math.inf if row.low is None else math.log(row.low)
    return math.log(row.strict), (low, math.inf if row.high is None else math.log(row.high))


def _is_not_above(row: Standing, reference: str, found: Judgement, sides: Sequence[Side]) -> bool:
    """Whether somebody of a class without the reference is not better than that."""
    beside = any(side.policy == reference and side.policy_class == row.policy_class for side in sides)
    return not beside and found.word is not Word.BETTER


def _told(found: Judgement) -> dict[str, Any]:
    """As fields of a standing."""
    return {
        "verdict": found.word.value,
        "p": found.p,
        "mde": None if found.detectable is None else math.expm1(found.detectable),
        "depends_on": found.depends_on,
        "without": finite_ratio(found.without),
    }


def too_few(clusters: int, what: str) -> tuple[str, ...]:
    """The remark on a table that can tell nobody apart, whatever its rows show. ``what``: what there are too few of."""
    least = least_clusters()
    if clusters >= least:
        return ()
    what = what.removesuffix("s") if clusters == 1 else what
    return (f"{clusters} {what}: from fewer than {least} nothing can be told",)
