"""Why a policy of a table is not ranked: what it lacks, what it was made on, and what is wrong with its campaigns."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from harness.rank.entries import Entry, entries_with
from harness.rank.question import Question, floor, quote
from harness.rank.said import CEILING, completed, said
from harness.rank.sides import Side

if TYPE_CHECKING:
    import duckdb

__all__ = ["refusals"]


def refusals(
    index: "duckdb.DuckDBPyConnection", question: Question, found: Sequence[Entry], sides: Sequence[Side]
) -> dict[str, list[str]]:
    """Policy → why it is not ranked; nothing, when it is. ``found``: the entries that the sides were made of."""
    asked = len({entry.benchmark for entry in found if entry.was_asked})
    marks, seen = _marks(index, question), _trained_on(index, question)
    ceilings = said(index, question, CEILING)
    trials = _trials(index, question) if ceilings else {}
    return {
        side.policy: _ceiling(side, trials.get(side.policy)) * (side.policy in ceilings)
        + _refused(question, side, asked, found[0].min_coverage, marks, seen)
        for side in sides
    }


def _ceiling(side: Side, trials: float | None) -> list[str]:
    has, every = len(completed(side)), len(side.results)
    those = "" if has == every else f", which it has of {has} of {every}"
    tried = "" if trials is None else f", found in {trials:,.0f} trials, the median of programs"
    return [f"a ceiling: the best that is known of each program{those}{tried}"]


def _trials(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, float]:
    """Policy → modules that were tried for a program, the median over programs. Not of whom none is known."""
    query = f"""{entries_with(question)}
SELECT policy, median(value) FROM (
  SELECT figure.policy, figure.benchmark, max(m.value) AS value
  FROM figure JOIN measurements m ON m.cell = figure.cell AND m.metric = 'decide.trials'
  WHERE figure.outcome = 'ok' GROUP BY ALL
) GROUP BY policy"""
    return {str(policy): float(value) for policy, value in index.execute(query).fetchall()}


def _refused(
    question: Question,
    side: Side,
    asked: int,
    required: float,
    campaign_marks: tuple[str, ...],
    trained_on: Mapping[str, set[str]],
) -> list[str]:
    """``asked``: programs that the metric was asked for on; ``required``: the suite's share of them;
    ``campaign_marks``: of all campaigns, if none is sound; ``trained_on``: policy → programs.
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
    if seen := trained_on.get(side.policy, set()) & side.results.keys():
        found.append(f"made on {len(seen)} of these {len(side.results)} programs")
    marked = [one for one in side.results.values() if one.marks]
    marks = dict.fromkeys(mark for one in marked for mark in one.marks) or dict.fromkeys(campaign_marks)
    if marks:  # without any sound campaign, not even the reference is ranked by time
        some = f" on {len(marked)} of {len(side.results)} programs" if 0 < len(marked) < len(side.results) else ""
        found.append(f"timed only in a marked campaign{some}: {'; '.join(marks)}")
    if side.unfloored and not found:  # else what a failure counts as is no matter
        where, name = ", ".join(side.unfloored), floor(question)
        found.append(f"{name}, the track's floor, has no value on {where}, which it did not complete: run {name} there")
    return found


def _marks(index: "duckdb.DuckDBPyConnection", question: Question) -> tuple[str, ...]:
    """What is wrong with the campaigns that timed the reference, if something is with each of them."""
    if not question.quantity.paired:
        return ()
    found = index.execute(
        f"""{entries_with(question)}
SELECT marks FROM campaigns c WHERE (run, campaign) IN (
  SELECT (t.run, t.campaign) FROM timings t JOIN reference r ON r.benchmark = t.benchmark AND r.object = t.object
  WHERE t.{question.in_suites} AND t.target = {quote(question.target)}
) AND (c.isolation = 'sandbox' OR NOT EXISTS (
  SELECT 1 FROM newest WHERE policy = {quote(question.reference)} AND newest.isolation = 'sandbox'
)) ORDER BY started DESC, campaign"""
    ).fetchall()
    return () if any(not marks for (marks,) in found) else tuple(mark for (marks,) in found for mark in marks)


def _trained_on(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, set[str]]:
    """Policy → the programs that it was made on, as its manifest said in any run."""
    found: dict[str, set[str]] = defaultdict(set)
    query = f"SELECT policy, benchmark FROM training WHERE {question.in_suites}"
    for policy, benchmark in index.execute(query).fetchall():
        found[policy].add(benchmark)
    return found
