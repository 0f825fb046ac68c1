"""``harness compare``."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.cli.leaderboard import answers, asked
from harness.cli.output import Column, Format, emit
from harness.paths import default_results
from harness.rank import Comparison
from harness.rank import compare as compare_policies
from harness.rank.compare import summarise
from harness.rank.standings import Question
from harness.record import open_index

__all__ = ["compare"]


def compare(a: str, b: str, results: Path | None, format_: Format, **restrictions: Any) -> int:
    """One table for each suite, track and target that has rows of both."""
    records: list[dict[str, Any]] = []
    with open_index(results or default_results()) as index:
        for question, table in answers(
            _without_reference(asked(index, restrictions)), lambda q: compare_policies(index, q, a, b)
        ):
            if format_ is Format.TABLE:
                title = f"{question.suite} · {question.target} · {question.metric}: {a} against {b}"
                emit([_shown(row) for row in table], _columns(a, b), format_, title=f"\n{title}")
                print(_summary(table, a, b))
            where = {"suite": question.suite, "target": question.target, "metric": question.metric}
            records += [where | {"policy_a": a, "policy_b": b} | row.record() for row in table]
    if format_ is not Format.TABLE:
        emit(records, (), format_)
    return 0


def _without_reference(questions: Sequence[Question]) -> list[Question]:
    """Each question once: two policies are compared with each other, whatever the track's references are."""
    return list({replace(question, reference=""): question for question in questions}.values())


def _columns(a: str, b: str) -> tuple[Column, ...]:
    return (
        Column("benchmark", "benchmark"),
        Column(a, "a", "{:,.6g}".format, right=True),
        Column(b, "b", "{:,.6g}".format, right=True),
        Column(f"{b}/{a}", "ratio", "{:.4f}".format, right=True),
        Column("", "remark"),
    )


def _shown(row: Comparison) -> dict[str, Any]:
    remark = "same object" if row.same_object else ""
    for outcome in (row.outcome_a, row.outcome_b):
        if outcome != "ok":
            remark = outcome
    return row.record() | {"remark": remark}


def _summary(table: list[Comparison], a: str, b: str) -> str:
    found = summarise(table)
    if found.mean is None:
        return "no program has both values"
    both = found.wins + found.losses + found.ties
    return (
        f"geometric mean {found.mean:.4f} over {both} of {found.programs} programs: {a} is better on {found.wins}, "
        f"{b} on {found.losses}, equal on {found.ties}"
    )
