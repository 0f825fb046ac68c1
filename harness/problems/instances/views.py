"""Views of solvers: their standings, and one solver's instances with what it reached over time."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.base.errors import HarnessError
from harness.base.formats import ABSENT, plain
from harness.base.views import (
    Choose,
    Code,
    Figure,
    Figures,
    Folded,
    Grid,
    GridColumn,
    Heading,
    Link,
    Links,
    Parts,
    Query,
    Text,
    TextTable,
    command_options,
    permalink,
)
from harness.measure import find_metric
from harness.policy.load import baseline_names
from harness.problems.instances.charts import costs_chart, scores_chart, shares_chart
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure, cost_over_time, history_sql, solver_sql
from harness.problems.instances.machines import NOT_PUBLISHED
from harness.problems.instances.recorded import recorded_solution
from harness.problems.instances.standings import SolverStanding, SolverTable, solver_standings
from harness.problems.instances.tables import ratio_interval, score_heading
from harness.problems.protocol import Pages
from harness.rank.notes import SHARED, rules_broken
from harness.rank.question import Question
from harness.rank.words import dependence_lines, multiple, rank_range, reason_lines, share, verdict_mark

if TYPE_CHECKING:
    import duckdb

__all__ = ["instances", "standings"]

_SHOW, _HIDE = "shown", "left out"
_PUBLISHED = "Costs that others have published: reached on machines of theirs, and not ranked."
_EXPLAINED = (
    "**score**: the contest's, by its own rule, over the instances that were withheld from its teams: the sum of best "
    "cost / cost, where the best is of its teams and the solver; an instance without a feasible assignment gives 0, "
    "and none more than 1.  \n"
    "**cost / best**: geometric mean over all instances of cost / lowest cost known, of whomever; less is better. An "
    "instance without a solution counts as the worst of the plain assignment and the solver's own worst. **95 % "
    "interval** and **verdict** are of it, for instances like these. Ranks: every two solvers alone, by their own "
    "differences of log cost.  \n"
    "**gap to bound**: how far costs are above the proven lower bound, a geometric mean over what was solved.  \n"
    "**published**: what others have reached, on machines of theirs; such rows have no rank."
)


def standings(
    domain: Domain[Any], pages: Pages, index: "duckdb.DuckDBPyConnection", question: Question, choose: Choose
) -> Parts:
    """The standings of solvers."""
    published = choose("Published rows", "published", [_SHOW, _HIDE], explain=_PUBLISHED) == _SHOW
    found = solver_standings(domain, index, question, published=published)
    table = found.standings
    count = table[0].instances
    yield Text(f"{plain(pages.describe(question))} · {count} instance{'s' if count != 1 else ''}")
    for line in rules_broken(index, question):
        yield Text(line, "warning")
    yield _standings(found)
    yield Links(
        tuple(
            Link("program", f"Instances of {row.policy}", {"policy": row.policy}) for row in table if not row.published
        )
    )
    yield Text(
        "\n".join(f"- {plain(line)}" for line in (*found.remarks, *dependence_lines(table), *reason_lines(table)))
    )
    yield scores_chart(found, baseline_names())
    yield Text(_EXPLAINED)
    view = pages.view_of(question)
    yield Text(permalink(view if published else view | {"published": _HIDE}), "caption")
    yield Query(
        solver_sql(domain, question),
        f"harness leaderboard {command_options(view)}{'' if published else ' --no-published'}",
        "With `--sql` that command prints this query: one row a solver and instance. What others have published is no "
        "part of it: scores are by `harness.problems.instances.standings`, ranks of the same rows by "
        "`harness.rank.pairs.ranks`, verdicts by `harness.rank.verdicts.judge`.",
    )


def _standings(found: SolverTable) -> Grid:
    table = found.standings
    scores = tuple(row.contest_score for row in table)
    whose = "The contest's, over the instances that were withheld from its teams: more is better."
    score = (GridColumn(score_heading(found), scores, 74, "%.4f", explain=whose),)
    ratios, gaps = (tuple(said(row) for row in table) for said in (_ratio, _gap))
    verdicts = tuple(verdict_mark(row.verdict, row.depends_on) or ABSENT for row in table)
    intervals = tuple(ratio_interval(row) or ABSENT for row in table)
    return Grid(
        "standings",
        (
            GridColumn("rank", tuple(_rank(row) for row in table), 44, right=True, explain=SHARED),
            GridColumn("solver", tuple(row.policy for row in table), 116),
            GridColumn("class", tuple(row.policy_class for row in table), 72),
            GridColumn("machine", tuple(_machine(row) for row in table), 118, explain="Cores and CPU."),
            GridColumn("verdict", verdicts, 100, explain="Of cost / best against 1."),
            *(score if found.contest_instances else ()),
            GridColumn("cost / best", ratios, 74, right=True, explain="Geometric mean: below 1 is better."),
            GridColumn("95 % interval", intervals, 134, right=True, explain="Of cost / best."),
            GridColumn("gap", gaps, 76, right=True, explain="Above the proven lower bound: less is better."),
            GridColumn("feasible", tuple(_feasible(row) for row in table), 64, right=True, explain="In instances."),
        ),
    )


def _machine(row: SolverStanding) -> str:
    cpu = row.cpu or NOT_PUBLISHED
    return cpu if row.cores is None else f"{row.cores} × {cpu}"


def _rank(row: SolverStanding) -> str:
    return rank_range(row) or ABSENT


def _ratio(row: SolverStanding | SolverFigure) -> str:
    return ABSENT if row.ratio is None else multiple(row.ratio)


def _gap(row: SolverStanding | SolverFigure) -> str:
    return ABSENT if row.gap is None else share(row.gap)


def _feasible(row: SolverStanding) -> str:
    return f"{row.solved}/{row.instances}"


def _score(found: SolverTable, row: SolverStanding) -> tuple[Figure, ...]:
    if row.contest_score is None:
        return ()
    return (Figure(score_heading(found), f"{row.contest_score:.4f}", "The contest's, of the withheld instances."),)


def instances(
    domain: Domain[Any], pages: Pages, index: "duckdb.DuckDBPyConnection", question: Question, choose: Choose
) -> Parts:
    """One solver's instances, and all solvers on one of them."""
    found = solver_standings(domain, index, question, published=False)
    policy = choose("Solver", "policy", [row.policy for row in found.standings], aside=False)
    mine = [figure for figure in found.figures if figure.policy == policy]
    standing = next(row for row in found.standings if row.policy == policy)
    yield Text(plain(pages.describe(question)))
    yield Figures(
        (
            Figure("rank", _rank(standing), SHARED),
            *_score(found, standing),
            Figure("cost / best", _ratio(standing)),
            Figure("gap to bound", _gap(standing)),
            Figure("feasible", _feasible(standing)),
            Figure("proven optimal", str(standing.optimal)),
        )
    )
    for line in reason_lines([standing]):
        yield Text(f"- {plain(line)}")
    if failed := [figure for figure in mine if not figure.solved]:
        yield Text(f"**Not solved: {len(failed)} of {len(mine)} instances**")
        rows = tuple((one.benchmark, one.outcome, one.detail) for one in failed)
        yield TextTable(("instance", "outcome", "detail"), rows)
    yield shares_chart(mine, policy)
    yield _instances(domain, mine)
    yield Heading("One instance")
    name = choose("Instance", "instance", [figure.benchmark for figure in mine], aside=False)
    yield from _one_instance(domain, index, found, next(figure for figure in mine if figure.benchmark == name))
    yield Query(
        solver_sql(domain, question, policy),
        f"harness leaderboard {command_options(pages.view_of(question))} --instances --no-published",
        "That command prints the instances of every solver.",
    )


def _instances(domain: Domain[Any], rows: Sequence[SolverFigure]) -> Grid:
    further = tuple(
        GridColumn(
            f"{name} ({find_metric(metric).unit})", tuple(_whole(row.further[name]) for row in rows), 104, right=True
        )
        for name, metric in domain.further.items()
    )
    return Grid(
        "instances",
        (
            GridColumn("instance", tuple(row.benchmark for row in rows), 64),
            GridColumn("split", tuple(row.split for row in rows), 46),
            GridColumn("limit, s", tuple(row.limit for row in rows), 56, "%g"),
            GridColumn("outcome", tuple(row.outcome for row in rows), 74),
            # As text: a number of a table is a double, which loses the last digits of large costs.
            GridColumn("cost", tuple(_whole(row.cost) for row in rows), 122, right=True),
            GridColumn("best known", tuple(_whole(row.best) for row in rows), 116, right=True),
            GridColumn("cost / best", tuple(_ratio(row) for row in rows), 74, right=True),
            GridColumn("points", tuple(row.points for row in rows), 58, "%.4f", explain="By the contest's rule."),
            GridColumn(
                "gap", tuple(_gap(row) for row in rows), 66, right=True, explain="Above the proven lower bound."
            ),
            GridColumn("at, s", tuple(row.seconds for row in rows), 54, "%.1f", explain="When it was found."),
            GridColumn("runs", tuple(row.repeats for row in rows), 44, "%d", explain="Of which the median counts."),
            *further,
        ),
    )


def _whole(number: int | None) -> str:
    return ABSENT if number is None else f"{number:,}"


def _one_instance(
    domain: Domain[Any], index: "duckdb.DuckDBPyConnection", found: SolverTable, figure: SolverFigure
) -> Parts:
    there = [one for one in found.figures if one.benchmark == figure.benchmark]
    histories = {one.policy: cost_over_time(index, one) for one in there}
    if any(histories.values()):
        yield Text("**Cost over time**, of every solver")
        yield costs_chart(histories, figure)
    if not (figure.solved and figure.run and figure.cell):
        return
    if domain.pictured:
        yield Text(f"**{domain.pictured}** of {plain(figure.policy)}'s solution")
        try:
            instance, assignment = recorded_solution(domain, index, found.question.suite, figure)
            yield domain.picture(figure.benchmark, instance, assignment, figure.policy)
        except HarnessError as error:  # the assignment or the instance is not on this machine
            yield Text(plain(f"not shown: {error.message}"), "info")
    row = f"{figure.run}/{figure.benchmark}/{found.question.target}/{figure.policy}"
    commands = (
        Code(f"harness repro {shlex.quote(row)}", "bash"),
        Code(history_sql(figure.run, figure.cell, figure.policy), "sql"),
    )
    yield Folded("Judge it again", commands)
