"""Standings of solvers, for a terminal."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from harness.cli.output import Column, Format, emit, note, say
from harness.problems.sharding.entries import SolverFigure
from harness.problems.sharding.standings import SolverStanding, SolverTable
from harness.rank.words import multiple, rank_range, reason_lines, share

__all__ = ["print_instances", "print_solver_table", "solver_legend"]

_COLUMNS = (
    Column("rank", "ranks", right=True),
    Column("solver", "policy"),
    Column("class", "class"),
    Column("score", "score", "{:.4f}".format, right=True),
    Column("95 % interval", "interval"),
    Column("cost/best", "ratio", multiple, right=True),
    Column("gap", "gap", share, right=True),
    Column("feasible", "feasible", right=True),
    Column("optimal", "optimal", right=True),
    Column("below best", "beaten", right=True),
)
_WHOLE = "{:,}".format
_FIGURES = (
    Column("solver", "policy"),
    Column("instance", "benchmark"),
    Column("limit, s", "limit", "{:g}".format, right=True),
    Column("outcome", "outcome"),
    Column("cost", "cost", _WHOLE, right=True),
    Column("best known", "best", _WHOLE, right=True),
    Column("best/cost", "share", "{:.4f}".format, right=True),
    Column("gap", "gap", share, right=True),
    Column("found at, s", "seconds", "{:.1f}".format, right=True),
    Column("detail", "detail"),
)


def print_solver_table(table: SolverTable) -> None:
    """The table with its remarks."""
    say()
    emit([_shown(row) for row in table.standings], _COLUMNS, Format.TABLE, title=_title(table))
    for line in (*table.remarks, *reason_lines(table.standings)):
        say(line)


def _title(table: SolverTable) -> str:
    question = table.question
    restricted = "".join(f", {word}" for word in question.restrictions)
    count = _counted(table.standings[0].instances, "instance")
    how = f"time scale {question.time_scale:g}, {_counted(question.cores or 0, 'core')}"
    return f"{question.suite} · track {question.track} · {count}{restricted} · {how}"


def print_instances(tables: Sequence[SolverTable], format_: Format) -> None:
    """A line for each solver and instance; solvers in the order of the standings."""
    if format_ is not Format.TABLE:
        emit([_figure(table, figure) for table in tables for figure in _ordered(table)], _FIGURES, format_)
        return
    for table in tables:
        say()
        emit([_figure(table, figure) for figure in _ordered(table)], _FIGURES, format_, title=_title(table))


def _ordered(table: SolverTable) -> list[SolverFigure]:
    places = {row.policy: place for place, row in enumerate(table.standings)}
    return sorted(table.figures, key=lambda figure: (places[figure.policy], figure.benchmark))


def _figure(table: SolverTable, figure: SolverFigure) -> dict[str, Any]:
    question = table.question
    where = {"suite": question.suite, "time_scale": question.time_scale, "cores": question.cores}
    return where | asdict(figure) | {"share": figure.share, "gap": figure.gap, "optimal": figure.optimal}


def solver_legend() -> None:
    """What the columns mean."""
    note(
        "\nscore: sum over instances of best cost known / cost, 0 without a feasible assignment; ranks go by it, and "
        "who cannot be told apart shares them\ncost/best and gap (above the proven lower bound): geometric means over "
        "the feasible ones; published: others' figures, of their machines (--no-published leaves them out)"
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shown(row: SolverStanding) -> dict[str, Any]:
    known = row.low is not None and row.high is not None
    return row.record() | {
        "ranks": rank_range(row),
        "interval": f"{row.low:.4f} – {row.high:.4f}" if known else None,
        "feasible": f"{row.solved}/{row.instances}",
    }
