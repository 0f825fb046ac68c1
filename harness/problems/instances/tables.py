"""Standings of solvers, as tables."""

from typing import TYPE_CHECKING, Any

from harness.base.answers import Column, Table
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.standings import SolverStanding, SolverTable, solver_standings
from harness.rank.words import dependence_lines, multiple, rank_range, reason_lines, share, verdict_mark

if TYPE_CHECKING:
    import duckdb

    from harness.rank.question import Question

__all__ = ["LEGEND", "cores_of", "ratio_interval", "score_heading", "standings_table"]

_WHOLE = "{:,}".format
_FIGURES = (
    Column("solver", "policy"),
    Column("instance", "benchmark"),
    Column("limit, s", "limit", "{:g}".format, right=True),
    Column("outcome", "outcome"),
    Column("cost", "cost", _WHOLE, right=True),
    Column("best known", "best", _WHOLE, right=True),
    Column("cost/best", "ratio", multiple, right=True),
    Column("points", "points", "{:.4f}".format, right=True),
    Column("gap", "gap", share, right=True),
    Column("found at, s", "seconds", "{:.1f}".format, right=True),
    Column("runs", "repeats", right=True),
    Column("spread", "spread", share, right=True),
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
        *columns, detail = _FIGURES
        return Table(figures, (*columns, *_cpu(table), detail), _title(table))
    below = (*table.remarks, *dependence_lines(table.standings), *reason_lines(table.standings))
    records = [row.record() for row in table.standings]
    return Table(records, _columns(table), _title(table), shown=[_shown(row) for row in table.standings], below=below)


def _columns(table: SolverTable) -> tuple[Column, ...]:
    """The score only where a contest has counted some of the instances."""
    score = (Column(score_heading(table), "contest_score", "{:.4f}".format, right=True),)
    return (
        Column("rank", "ranks", right=True),
        Column("solver", "policy"),
        Column("class", "class"),
        Column("cores", "machine", right=True),
        *_cpu(table),
        Column("verdict", "mark"),
        *(score if table.contest_instances else ()),
        Column("cost/best", "ratio", multiple, right=True),
        Column("95 % interval", "interval"),
        Column("gap", "gap", share, right=True),
        Column("feasible", "feasible", right=True),
        Column("optimal", "optimal", right=True),
        Column("below best", "beaten", right=True),
    )


def _cpu(table: SolverTable) -> tuple[Column, ...]:
    """As soon as there are two."""
    return (Column("CPU", "cpu"),) if table.machines > 1 else ()


def score_heading(table: SolverTable) -> str:
    """``score of 12``: of how many instances the contest's score is."""
    return f"score of {table.contest_instances}"


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


LEGEND = """\
score: the contest's, over the instances that were withheld from its teams: the sum of best cost / cost, where the best
is of its teams and the solver; 0 without a feasible assignment
cost/best: geometric mean over all instances of cost / lowest cost known of anybody, where a failure counts as the worst
there is; verdict and interval are of it; ranks: every two solvers by their own differences of log cost
gap: above the proven lower bound, of what is feasible; published: others' figures, of their machines (--no-published
leaves them out)"""
"""What the columns mean."""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shown(row: SolverStanding) -> dict[str, Any]:
    return row.record() | {
        "ranks": rank_range(row),
        "machine": cores_of(row),
        "mark": verdict_mark(row.verdict, row.depends_on),
        "interval": ratio_interval(row),
        "feasible": f"{row.solved}/{row.instances}",
    }


def cores_of(row: SolverStanding) -> str | None:
    """Of its machine; ``?`` where nobody has said it."""
    return "?" if row.cores is None else str(row.cores)


def ratio_interval(row: SolverStanding) -> str | None:
    """Of cost/best."""
    return None if row.low is None or row.high is None else f"{multiple(row.low)} – {multiple(row.high)}"
