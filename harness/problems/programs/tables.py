"""Standings of policies on programs, as tables."""

from typing import TYPE_CHECKING, Any

from harness.base.answers import Column, Table
from harness.rank import campaigns, standings
from harness.rank.contest import percent
from harness.rank.elsewhere import elsewhere_lines
from harness.rank.notes import OF_CEILING
from harness.rank.standings import Standing
from harness.rank.words import (
    campaign_lines,
    counted,
    decided,
    dependence_lines,
    left_out_lines,
    model_lines,
    rank_range,
    reason_lines,
    verdict_mark,
)

if TYPE_CHECKING:
    import duckdb

    from harness.rank.question import Question

__all__ = ["LEGEND", "standings_table"]


def _ratio(value: float) -> str:
    return f"{value:.4f}"


def _seconds(value: float) -> str:
    return f"{value:.2f}"


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


_COLUMNS = (
    Column("rank", "ranks", right=True),
    Column("policy", "policy"),
    Column("class", "class"),
    Column("verdict", "word"),
    Column("strict", "strict", _ratio, right=True),
    Column("95 % interval", "interval"),
    Column("median", "median", _ratio, right=True),
    Column("matched", "matched", _ratio, right=True),
    Column("covered", "covered", right=True),
    Column("W/T/?/L", "decided", right=True),
    Column("MDE", "seen", right=True),
    Column("decide, s", "decide_cpu", _seconds, right=True),
)
_SHARES = f"of ceiling: {OF_CEILING[0].lower()}{OF_CEILING[1:-1]}"
_OF_CEILING = Column("of ceiling", "share", _share, right=True)
LEGEND = (
    "ratios are geometric means of reference / policy: above 1 is better\n"
    "verdict: of strict against the reference, with an error of 5 % over the class\n"
    "rank: every two policies of a class alone, by strict; who cannot be told apart shares ranks\n"
    "W/T/?/L: programs better than the reference, equal or equivalent, not resolved, worse, failed or not run\n"
    "MDE: the difference that the verdict would find four times in five; decide: CPU seconds on a program, the median\n"
    "class, and what a policy was made on, are its submitter's word"
)
"""What the columns mean."""


def standings_table(index: "duckdb.DuckDBPyConnection", question: "Question") -> Table:
    """The standings. Raises UsageError when nothing is recorded of the reference."""
    rows = standings(index, question)
    below = (
        *left_out_lines(rows),
        *campaign_lines(campaigns(index, question), (row.pairs for row in rows)),
        *model_lines(rows),
        *dependence_lines(rows),
        *reason_lines(rows),
        *(() if all(row.share is None for row in rows) else (_SHARES,)),
        *elsewhere_lines(question),
    )
    restricted = "".join(f", {word}" for word in question.restrictions)
    title = (
        f"{question.suite} · {question.target} · track {question.track} · {question.metric} against "
        f"{question.reference}, {counted(rows[0])}{restricted}"
    )
    columns = (*_COLUMNS, *((_OF_CEILING,) if any(row.share is not None for row in rows) else ()))
    return Table([row.record() for row in rows], columns, title, shown=[_shown(row) for row in rows], below=below)


def _shown(row: Standing) -> dict[str, Any]:
    known = row.low is not None and row.high is not None
    interval = f"{row.low:.4f} – {row.high:.4f}" if known else None
    return row.record() | {
        "word": verdict_mark(row.verdict, row.depends_on),
        "ranks": rank_range(row),
        "interval": interval,
        "covered": f"{row.completed}/{row.benchmarks}",
        "decided": decided(row),
        "seen": percent(row.mde),
    }
