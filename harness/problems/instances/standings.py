"""Standings of solvers: a score as contests have it, with what their tables lack: what can be told apart.

* *score*: the sum over instances of best cost known / cost; an instance without a feasible assignment gives 0;
* *cost/best*: geometric mean of cost / best cost known over the solved instances, 1 is as good, less is better;
* *gap*: geometric mean of cost / proven lower bound over the solved instances that have one, less 1;
* *ranks* go by the score: two solvers share ranks unless the sign-flip test over instances tells them apart.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure, solver_figures
from harness.problems.instances.published import published_figures
from harness.rank.question import Question
from harness.rank.standings import too_few
from harness.rank.words import PUBLISHED
from harness.statistics import rank_intervals, suite_effect

if TYPE_CHECKING:
    import duckdb

__all__ = ["COST", "SolverStanding", "SolverTable", "solver_standings", "solver_table"]


COST = "cost"
"""The metric that ranks."""


@dataclass(frozen=True)
class SolverStanding:
    """A solver's row."""

    suite: str
    target: str
    track: str
    time_scale: float | None
    cores: int | None
    origin: str | None
    policy_class: str
    policy: str
    rank: int | None
    """1 + how many are surely better. None: not ranked."""
    rank_high: int | None
    score: float
    low: float | None
    high: float | None
    """95 % interval of the score, for instances like these."""
    ratio: float | None
    """Cost / best known."""
    gap: float | None
    solved: int
    optimal: int
    """Instances on which its cost is proven to be the lowest."""
    beaten: int
    """Instances on which its cost is below the best known."""
    instances: int
    reasons: tuple[str, ...]
    """Why it is not ranked, or what its figures lack."""

    @property
    def published(self) -> bool:
        """Whether these are others' figures, measured elsewhere."""
        return self.policy_class == PUBLISHED

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        fields = asdict(self) | {"reasons": list(self.reasons)}
        fields["class"] = fields.pop("policy_class")
        return fields


@dataclass(frozen=True)
class SolverTable:
    """Standings, and the figures that they are made of."""

    question: Question
    standings: tuple[SolverStanding, ...]
    figures: tuple[SolverFigure, ...]

    @property
    def instances(self) -> tuple[SolverFigure, ...]:
        """One figure of each instance, for what it says of the instance."""
        return tuple({figure.benchmark: figure for figure in self.figures}.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """For people: on what machines, and whose best costs."""
        machines = {figure.cpu for figure in self.figures if figure.cpu}
        found = [f"measured on {', '.join(sorted(machines))}"]
        if len(machines) > 1:
            found[0] += ": costs after a time limit are comparable on one machine only"
        return tuple(found)


def solver_standings(
    domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question, *, published: bool = True
) -> SolverTable:
    """The table, the highest score first; with ``published``, figures of others stand in it without a rank.

    Raises UsageError when nothing is recorded.
    """
    if question.metric != COST:
        raise UsageError(f"solvers are ranked by {COST}, not by {question.metric}", hint="harness compare shows it")
    figures = solver_figures(domain, index, question)
    if not figures:
        raise UsageError(
            f"no rows of solvers for {question.suite}", hint=f"run `harness run --suite {question.suite}` first"
        )
    found = index.execute(
        "SELECT arg_max(min_coverage, started) FROM runs WHERE suite = ?", [question.suite]
    ).fetchone()
    required = 0.8 if found is None or found[0] is None else float(found[0])
    others = published_figures(domain, question.suite, figures) if published else ()
    return solver_table(question, figures, required, others)


def solver_table(
    question: Question, figures: Sequence[SolverFigure], required: float, published: Iterable[SolverFigure] = ()
) -> SolverTable:
    """The same of figures. ``required``: the share of the instances that a ranked solver was run on."""
    there = {figure.benchmark for figure in figures}
    others = _of_who_solved_any(figure for figure in published if figure.benchmark in there)
    rows = [_standing(question, mine, len(there), required) for mine in _by_policy(figures).values()]
    rows += [_standing(question, mine, len(there), required) for mine in _by_policy(others).values()]
    ranked = _ranked(rows, _by_policy(figures), required)
    ranked.sort(key=lambda row: (-row.score, row.published, row.policy))
    return SolverTable(question, tuple(ranked), (*figures, *others))


def _of_who_solved_any(figures: Iterable[SolverFigure]) -> list[SolverFigure]:
    return [figure for mine in _by_policy(figures).values() if any(one.solved for one in mine) for figure in mine]


def _by_policy(figures: Iterable[SolverFigure]) -> dict[str, list[SolverFigure]]:
    found: dict[str, list[SolverFigure]] = defaultdict(list)
    for figure in sorted(figures, key=lambda one: one.benchmark):
        found[figure.policy].append(figure)
    return dict(found)


def _standing(question: Question, mine: Sequence[SolverFigure], instances: int, required: float) -> SolverStanding:
    first = mine[0]
    is_published = first.policy_class == PUBLISHED
    solved = [figure for figure in mine if figure.solved]
    ratios = [math.log(figure.cost / figure.best) for figure in solved if figure.cost and figure.best]
    gaps = [math.log1p(figure.gap) for figure in solved if figure.gap is not None]
    shares = [figure.share for figure in mine]
    effect = suite_effect([[[share]] for share in shares])
    low, high = effect.like_these or (None, None)
    known = sum(figure.outcome != "not run" for figure in mine)
    if is_published or known < instances:
        low = high = None
    return SolverStanding(
        suite=question.suite,
        target=question.target,
        track=question.track,
        time_scale=None if is_published else question.under("time_scale"),
        cores=None if is_published else question.under("cores"),
        origin=question.origin,
        policy_class=first.policy_class,
        policy=first.policy,
        rank=None,
        rank_high=None,
        score=math.fsum(shares),
        low=None if low is None else max(0.0, instances * low),
        high=None if high is None else instances * high,
        ratio=math.exp(math.fsum(ratios) / len(ratios)) if ratios else None,
        gap=math.expm1(math.fsum(gaps) / len(gaps)) if gaps else None,
        solved=len(solved),
        optimal=sum(figure.optimal for figure in mine),
        beaten=sum(_is_below(figure) for figure in mine),
        instances=instances,
        reasons=tuple(_reasons(is_published, mine, instances, required)),
    )


def _is_below(figure: SolverFigure) -> bool:
    return figure.solved and figure.cost is not None and figure.best is not None and figure.cost < figure.best


def _reasons(is_published: bool, mine: Sequence[SolverFigure], instances: int, required: float) -> list[str]:
    known = sum(figure.outcome != "not run" for figure in mine)
    if is_published:
        return [] if known == instances else [f"published of {known} of {instances} instances"]
    if _too_few(mine, instances, required):
        return [f"run on {known} of {instances} instances, below the suite's rule of {100 * required:.0f} %"]
    return [] if known == instances else [f"not run on {instances - known} of {instances} instances: they count 0"]


def _too_few(mine: Sequence[SolverFigure], instances: int, required: float) -> bool:
    """Whether the solver was run on fewer instances than the suite's rule wants of one that is ranked."""
    return sum(figure.outcome != "not run" for figure in mine) < required * instances - 1e-9


def _ranked(
    rows: Sequence[SolverStanding], figures: dict[str, list[SolverFigure]], required: float
) -> list[SolverStanding]:
    able = [row for row in rows if not row.published and not _too_few(figures[row.policy], row.instances, required)]
    if not able:
        return list(rows)
    found, _ = rank_intervals([[figure.share for figure in figures[row.policy]] for row in able])
    remarks = too_few(able[0].instances, "instances")
    ranked = {
        id(row): replace(row, rank=one.low, rank_high=one.high, reasons=row.reasons + remarks)
        for row, one in zip(able, found, strict=True)
    }
    return [ranked.get(id(row), row) for row in rows]
