"""``harness compare``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.base.paths import default_results
from harness.base.vocabulary import Target
from harness.cli.leaderboard import answers, asked, backing_called
from harness.cli.opened import opened_index
from harness.cli.output import Column, Format, emit, say
from harness.policy.load import policy_called
from harness.policy.tracks import facts_of
from harness.problems.registry import benchmarks_of_track
from harness.rank import Comparison, Versus, campaigns
from harness.rank.contest import NEVER, percent
from harness.rank.question import Question, benchmarks_called
from harness.rank.words import campaign_lines, counted, cycle_lines, multiple, verdict_mark

__all__ = ["compare"]

_EXACT = 2**53
"""Whole numbers up to this are what they are as a double."""


def compare(
    a: str, b: str, results: Path | None, format_: Format, backing: str | None = None, **restrictions: Any
) -> int:
    """One table for each suite, track and target that has rows of both. ``backing``: of runs with at least this one."""
    records: list[dict[str, Any]] = []
    a, b = policy_called(a), policy_called(b)
    folder = results or default_results()
    with opened_index(folder, backing_called(backing)) as index:
        questions = _without_reference(asked(index, folder, restrictions))
        for question, found in answers(
            questions, lambda question: benchmarks_of_track(question.track)[1].versus(index, question, a, b)
        ):
            if format_ is Format.TABLE:
                shown = [_shown(row) for row in found.rows]
                emit(shown, _columns(a, b, shown), format_, title=f"\n{_title(question, found, a, b)}")
                timed = campaign_lines(campaigns(index, question, (a, b)), (row.pairs for row in found.rows))
                cycles = cycle_lines(found.summary.modelled, a, b)
                say("\n".join((*_summary(question, found, a, b), *timed, *cycles)))
            where = {"suite": question.suite, "target": question.target, "metric": question.metric}
            told = found.summary.record()
            records += [where | {"policy_a": a, "policy_b": b} | row.record() | told for row in found.rows]
    if format_ is not Format.TABLE:
        emit(records, (), format_)
    return 0


def _without_reference(questions: Sequence[Question]) -> list[Question]:
    """Each question once: two policies are compared with each other, whatever the track's references are."""
    return list({replace(question, reference=""): question for question in questions}.values())


def _columns(a: str, b: str, shown: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    """The columns that some row has something in."""
    every = (
        Column("benchmark", "benchmark"),
        Column(a, "a", _value, right=True),
        Column(b, "b", _value, right=True),
        Column(f"{b}/{a}", "ratio", multiple, right=True),
        Column("95 % interval", "interval"),
        Column("", "mark"),
        Column("pairs", "pairs", right=True),
        Column("MDE", "seen", right=True),
        Column("", "note"),
    )
    optional = {"interval", "pairs", "seen", "note"}
    return tuple(column for column in every if column.field not in optional or any(row[column.field] for row in shown))


def _title(question: Question, found: Versus, a: str, b: str) -> str:
    """What the standings' heading says, and of what unit values are, and which ratios are good for whom."""
    facts, unit = facts_of(question.track), question.quantity.unit_on(Target(question.target))
    where = (question.suite, *((question.target,) if facts.compiled else ()), f"track {question.track}")
    values = question.metric if unit in question.metric else f"{question.metric} ({unit})"
    count = ", ".join((counted(found, facts.benchmarks), *question.restrictions))
    how = f" · {question.how}" if question.how else ""
    better = f"; above 1: {a} is better" if question.quantity.compares else ""
    return f"{' · '.join((*where, values))}: {a} against {b}, {count}{how}{better}"


def _value(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() and abs(number) < _EXACT else f"{number:,.6g}"


def _shown(row: Comparison) -> dict[str, Any]:
    notes = ["same object"] if row.same_object else []
    notes += [outcome for outcome in dict.fromkeys((row.outcome_a, row.outcome_b)) if outcome != "ok"]
    if row.remark and row.outcome_a == row.outcome_b == "ok":
        notes.append(NEVER if row.never_together else row.remark)
    interval = None if row.low is None or row.high is None else f"{row.low:.4f} – {row.high:.4f}"
    return row.record() | {
        "interval": interval,
        "mark": verdict_mark(row.verdict) or "",
        "seen": percent(row.mde),
        "note": "; ".join(notes),
    }


def _summary(question: Question, found: Versus, a: str, b: str) -> list[str]:
    summary = found.summary
    never = next((row.remark for row in found.rows if row.never_together), None)
    if summary.mean is None:
        return [summary.conclusion]
    exact = summary.these_low == summary.these_high
    what = benchmarks_called(question)
    these = "exact for these" if exact else f"{_interval(summary.these_low, summary.these_high)} for these"
    open_ = f", not told apart on {summary.unresolved}" if summary.unresolved else ""
    failed = [] if summary.strict is None else [f"strict {multiple(summary.strict)}: {_failures(summary.failed)}"]
    return [
        f"geometric mean {multiple(summary.mean)} over {summary.completed} of {summary.programs} {what}: "
        f"{a} is better on {summary.wins}, {b} on {summary.losses}, equal on {summary.ties}{open_}",
        *failed,
        f"95 % interval: {_interval(summary.low, summary.high)} for {what} like these; {these}",
        summary.conclusion,
        *([summary.in_class] if summary.in_class else []),
        *([never] if never else []),
    ]


def _failures(failed: Mapping[str, Sequence[str]]) -> str:
    """Who did not complete what, and what that counts as."""
    each = "; ".join(f"{policy} did not complete {', '.join(names)}" for policy, names in failed.items())
    return f"{each}, which counts as the worst of reference, floor and the policy's own worst"


def _interval(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else f"{multiple(low)} – {multiple(high)}"
