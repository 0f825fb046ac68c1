"""The programs behind one standing: what each gave, and what it counts as in strict."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.rank.contest import Result, mean_value, result
from harness.rank.entries import Entry, entries, entries_sql
from harness.rank.question import Question, floor
from harness.rank.sides import counted
from harness.rank.standings import word_of
from harness.rank.unanswered import no_rows
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = ["ProgramFigure", "programs", "programs_sql"]


@dataclass(frozen=True)
class ProgramFigure:
    """One program under one policy."""

    benchmark: str
    split: str
    origin: str
    outcome: str
    """The cell's outcome; ``not run`` without a cell, ``not measured`` when it lacks the metric or its pairs."""
    detail: str
    """For people: why the outcome is not ok, or the metric not measured."""
    reference: float | None
    """The metric's value under the reference; over seeds, the median."""
    policy: float | None
    """The metric's value under the policy; over seeds, the geometric mean of those that completed."""
    ratio: float | None
    """``reference`` / ``policy``, or what the pairs give: above 1 is better. None unless every seed completed."""
    low: float | None
    high: float | None
    """95 % interval of the ratio: of the measurement, and of seeds. None for what one seed gave exactly."""
    pairs: int | None
    """Independent pairs; None where none are needed."""
    verdict: str | None
    """``better``, ``worse``, ``equal``; of times and of several seeds also ``unresolved``, of times ``equivalent``
    (within half a percent). None without a ratio, and of times that only marked campaigns took."""
    counted: float | None
    """What the program counts as in strict: over seeds, the geometric mean of the ratio; of one that failed, the worst
    of reference, floor and the policy's own. None where the reference has no value: the program does not count."""
    object_digest: str | None
    """None where seeds gave several."""
    same_object: bool
    """The policy gave the reference's object: the ratio is exactly 1."""
    decisions_digest: str | None
    run: str | None

    def record(self) -> dict[str, Any]:
        """As a flat dictionary."""
        return asdict(self)


def programs_sql(question: Question, policy: str) -> str:
    """The query behind ``programs``: one row a program and seed."""
    return entries_sql(question, policy)


def programs(index: "duckdb.DuckDBPyConnection", question: Question, policy: str) -> list[ProgramFigure]:
    """Every program of the policy or of the reference, the policy's largest gain first.

    Raises UsageError when the policy has no rows of this question.
    """
    found = _by_program(entries(index, question, policy))
    if all(entry.outcome == "not run" for mine in found.values() for entry in mine):
        raise no_rows(index, question, policy)
    counts = counted(_results(found), _results(_by_program(entries(index, question, floor(question)))))
    table = [_figure(question, mine, counts.get(benchmark)) for benchmark, mine in found.items()]
    if not question.quantity.compares:
        table = [replace(row, ratio=None, low=None, high=None, verdict=None, counted=None) for row in table]
    return sorted(table, key=lambda row: (-(row.counted or 0.0), row.benchmark))


def _by_program(found: Sequence[Entry]) -> dict[str, list[Entry]]:
    programs: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        programs[entry.benchmark].append(entry)
    return programs


def _results(found: Mapping[str, Sequence[Entry]]) -> dict[str, Result]:
    """Of the programs that count."""
    return {
        benchmark: result(entry.contest for entry in mine)
        for benchmark, mine in found.items()
        if mine[0].reference is not None
    }


def _figure(question: Question, mine: Sequence[Entry], counts: Sequence[float] | None) -> ProgramFigure:
    first = mine[0]
    found = result(entry.contest for entry in mine)
    low, high = found.interval
    failed = next((entry for entry in mine if entry.outcome != "ok"), first)
    digests = {entry.object_digest for entry in mine}
    return ProgramFigure(
        benchmark=first.benchmark,
        split=first.split,
        origin=first.origin,
        outcome=failed.outcome,
        detail="; ".join(filter(None, (failed.detail, *(f"marked campaign: {mark}" for mark in found.marks)))),
        reference=first.reference,
        policy=mean_value((entry.value for entry in mine), plus_one=question.quantity.can_be_zero),
        ratio=found.ratio,
        low=low,
        high=high,
        pairs=found.pairs,
        verdict=None if found.marks else word_of(question, found),
        counted=None if counts is None else _counted(found, counts),
        object_digest=first.object_digest if len(digests) == 1 else None,
        same_object=all(entry.same_object for entry in mine),
        decisions_digest=first.decisions_digest,
        run=max((entry.run for entry in mine if entry.run), default=None),
    )


def _counted(found: Result, counts: Sequence[float]) -> float:
    if found.ratio is not None and len(found.contests) == 1:
        return found.ratio
    return math.exp(exact_mean(np.array(counts)))
