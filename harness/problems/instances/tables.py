"""Standings of solvers, as tables."""

from typing import TYPE_CHECKING, Any

from harness.base.answers import Column, Table
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.standings import SolverStanding, SolverTable, solver_standings
from harness.rank.words import multiple, rank_range, reason_lines, share

if TYPE_CHECKING:
    import duckdb

    from harness.rank.question import Question

__all__ = ["LEGEND", "standings_table"]

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


def standings_table(
    domain: Domain[Any],
    index: "duckdb.DuckDBPyConnection",
    question: "Question",
    *,
    published: bool,
    instances: bool,
) -> Table:
    """The standings; ``instances``: a line for each solver and instance instead, solvers in their order.

    ``published``: with others' figures. Raises UsageError when nothing is recorded.
    """
    table = solver_standings(domain, index, question, published=published)
    if instances:
        figures = [_figure(table, figure) for figure in _ordered(table)]
        return Table(figures, _FIGURES, _title(table))
    below = (*table.remarks, *reason_lines(table.standings))
    records = [row.record() for row in table.standings]
    return Table(records, _COLUMNS, _title(table), shown=[_shown(row) for row in table.standings], below=below)


def _title(table: SolverTable) -> str:
    question = table.question
    restricted = "".join(f", {word}" for word in question.restrictions)
    count = _counted(table.standings[0].instances, "instance")
    how = f"time scale {question.under('time_scale'):g}, {_counted(question.under('cores'), 'core')}"
    return f"{question.suite} · track {question.track} · {count}{restricted} · {how}"


def _ordered(table: SolverTable) -> list[SolverFigure]:
    places = {row.policy: place for place, row in enumerate(table.standings)}
    return sorted(table.figures, key=lambda figure: (places[figure.policy], figure.benchmark))


def _figure(table: SolverTable, figure: SolverFigure) -> dict[str, Any]:
    question = table.question
    where = {"suite": question.suite, **dict(question.conditions)}
    return where | figure.record()


LEGEND = (
    "score: sum over instances of best cost known / cost, 0 without a feasible assignment; ranks go by it, and "
    "who cannot be told apart shares them\ncost/best and gap (above the proven lower bound): geometric means over "
    "the feasible ones; published: others' figures, of their machines (--no-published leaves them out)"
)
"""What the columns mean."""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shown(row: SolverStanding) -> dict[str, Any]:
    known = row.low is not None and row.high is not None
    return row.record() | {
        "ranks": rank_range(row),
        "interval": f"{row.low:.4f} – {row.high:.4f}" if known else None,
        "feasible": f"{row.solved}/{row.instances}",
    }
