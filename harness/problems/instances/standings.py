"""Standings of solvers: a contest's score by the contest's rule, costs against the best known, and what can be told.

* *contest score*: the sum, over the instances that the contest counted, of best cost / cost, where the best is of all
  who compete: its teams and the solver; an instance without a feasible assignment gives 0, none gives more than 1;
* *cost/best*: geometric mean of cost / best cost known over all instances, less is better; one without a solution
  counts as the worst there is (``harness.problems.instances.sides``);
* *verdict*: of cost/best against 1, by the rule for programs (``harness.rank.verdicts``);
* *ranks*: every two solvers alone, by their differences of log cost (``harness.rank.pairs``);
* *gap*: geometric mean of cost / proven lower bound over the solved instances that have one, less 1.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure, solver_figures
from harness.problems.instances.machines import machines_called
from harness.problems.instances.published import Published, published_of, with_teams
from harness.problems.instances.remarks import remarks_on
from harness.problems.instances.renumbered import not_on_renumbered, on_renumbered
from harness.problems.instances.same import same_assignments
from harness.problems.instances.sides import by_policy, reference_cost, sides_of_solvers
from harness.problems.instances.training import made_on_words, trained_on
from harness.rank.contest import finite_ratio
from harness.rank.pairs import ahead, ranks
from harness.rank.question import Question
from harness.rank.remembered import remembered
from harness.rank.sides import Side
from harness.rank.standings import too_few, tree_effect
from harness.rank.verdicts import Judgement, agreed, judge
from harness.rank.words import PUBLISHED
from harness.statistics import suite_effect

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
    origin: str | None
    policy_class: str
    policy: str
    cores: int | None
    cpu: str | None
    """Of the machine that it ran on; None: not published."""
    rank: int | None
    """1 + how many are better, each pair tested alone. None: not ranked."""
    rank_high: int | None
    verdict: str | None
    """On cost/best against 1. None: not ranked, or the suite knows no best cost of some instance."""
    p: float | None
    """That cost/best is 1, adjusted for all ranked solvers."""
    contest_score: float | None
    """None where the contest counted none of the instances."""
    contest_instances: int
    """That the contest counted: the score is of so many."""
    contest_low: float | None
    contest_high: float | None
    """95 % interval of the score, for instances like these."""
    ratio: float | None
    """Cost / best known. None where nothing was solved."""
    low: float | None
    high: float | None
    """95 % interval of it, for instances like these."""
    depends_on: str | None
    """The instance without which the verdict would be another, or which is far from all."""
    without: float | None
    """Cost / best known without it."""
    gap: float | None
    solved: int
    optimal: int
    """Instances on which its cost is proven to be the lowest."""
    beaten: int
    """Instances on which its cost is below the best known."""
    instances: int
    trained_on: int
    """Of them, those that it was made on."""
    repeats: int
    """Runs an instance, the fewest."""
    spread: float | None
    """How far a solver's largest cost on an instance is above its lowest, the median over instances."""
    reasons: tuple[str, ...]
    """Why it is not ranked, or what its figures lack."""

    @property
    def published(self) -> bool:
        """Whether these are others' figures, measured elsewhere."""
        return self.policy_class == PUBLISHED

    @property
    def strict(self) -> float | None:
        """What ``depends_on`` is about."""
        return self.ratio

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
    remarks: tuple[str, ...] = ()
    """For people: of what machines and runs the figures are, and what is odd about them."""

    @property
    def machines(self) -> int:
        """That something of it was measured on."""
        return len(machines_called(one for one in self.figures if one.policy_class != PUBLISHED))

    @property
    def contest_instances(self) -> int:
        """Those that the contest counted."""
        return max(row.contest_instances for row in self.standings)


def solver_standings(
    domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question, *, published: bool = True
) -> SolverTable:
    """The table, the best first; with ``published``, figures of others stand in it without a rank.

    Raises UsageError when nothing is recorded.
    """
    if question.metric != COST:
        raise UsageError(f"solvers are ranked by {COST}, not by {question.metric}", hint="harness compare shows it")
    figures = solver_figures(domain, index, question)
    if not figures:
        raise UsageError(
            f"no rows of solvers for {question.suite}" + "".join(f", {word}" for word in question.restrictions),
            hint="each that was recorded is one that somebody named there was made on"
            if question.unseen
            else f"run `harness run --suite {question.suite}` first",
        )
    found = index.execute(
        "SELECT arg_max(min_coverage, started) FROM runs WHERE suite = ?", [question.suite]
    ).fetchone()
    required = 0.8 if found is None or found[0] is None else float(found[0])
    others = published_of(domain, question.suite, figures)
    if not published:
        others = replace(others, figures=())
    seen = trained_on(domain, index, question)
    same = same_assignments(domain, index, question, figures)
    copies = on_renumbered(index, question, figures)
    unknown = not_on_renumbered(index, question, figures, copies) if domain.renumbers else []
    odd = [one.words for one in copies] + [one.words for one in unknown] + [one.words for one in same]
    return solver_table(question, figures, required, others, trained_on=seen, said=odd)


def solver_table(
    question: Question,
    figures: Sequence[SolverFigure],
    required: float,
    published: Published | None = None,
    *,
    trained_on: Mapping[str, set[str]] | None = None,
    said: Sequence[str] = (),
) -> SolverTable:
    """The same of figures. ``required``: the share of the instances that a ranked solver was run on.

    ``trained_on``: policy → instances. ``said``: further remarks.
    """
    published = published or Published()
    there = {figure.benchmark for figure in figures}
    mine = with_teams(figures, published.teams)
    others = with_teams(_of_who_solved_any(one for one in published.figures if one.benchmark in there), published.teams)
    seen = {policy: names & there for policy, names in (trained_on or {}).items()}
    machines = machines_called(mine)
    rows = [
        _standing(question, side, own, there, seen.get(side.policy, set()), machines)
        for some in (mine, others)
        for side, own in zip(sides_of_solvers(some), by_policy(some).values(), strict=True)
    ]
    refused = {row.policy: _refusals(row, by_policy(mine)[row.policy], required) for row in rows if not row.published}
    ranked = _ranked(rows, sides_of_solvers(mine), refused, judged=all(one.known is not None for one in mine))
    ranked.sort(key=lambda row: (-(row.contest_score or 0.0), row.ratio or math.inf, row.published, row.policy))
    remarks = (*remarks_on([*mine, *others], published.public), *said)
    return SolverTable(question, tuple(ranked), (*mine, *others), remarks)


def _of_who_solved_any(figures: Iterable[SolverFigure]) -> list[SolverFigure]:
    return [figure for mine in by_policy(figures).values() if any(one.solved for one in mine) for figure in mine]


def _standing(
    question: Question,
    side: Side,
    mine: Sequence[SolverFigure],
    there: set[str],
    seen: set[str],
    machines: Mapping[str, str],
) -> SolverStanding:
    first, instances = mine[0], len(there)
    is_published = first.policy_class == PUBLISHED
    solved = [figure for figure in mine if figure.solved]
    gaps = [math.log1p(figure.gap) for figure in solved if figure.gap is not None]
    is_known = sum(figure.outcome != "not run" for figure in mine) == instances
    ratios = [_against_best(side, figure) for figure in mine]
    effect = tree_effect(list(side.results.values()), [[value] for value in ratios], side.clusters)
    ratio = math.exp(-effect.estimate)
    low, high = (effect.like_these or (None, None)) if is_known and solved and not is_published else (None, None)
    points = [figure.points for figure in mine if figure.points is not None]
    worst, best = _score_interval(points) if is_known and not is_published else (None, None)
    spreads = [figure.spread for figure in mine if figure.spread is not None]
    return SolverStanding(
        suite=question.suite,
        target=question.target,
        track=question.track,
        time_scale=None if is_published else question.under("time_scale"),
        origin=question.origin,
        policy_class=first.policy_class,
        policy=first.policy,
        cores=first.cores,
        cpu=", ".join(sorted({machines.get(one.machine or "", one.cpu) for one in mine if one.cpu})) or None,
        rank=None,
        rank_high=None,
        verdict=None,
        p=None,
        contest_score=math.fsum(points) if points else None,
        contest_instances=len(points),
        contest_low=worst,
        contest_high=best,
        ratio=ratio if solved else None,
        low=None if high is None else _possible(finite_ratio(-high), ratio, mine),
        high=None if low is None else finite_ratio(-low),
        depends_on=None,
        without=None,
        gap=math.expm1(math.fsum(gaps) / len(gaps)) if gaps else None,
        solved=len(solved),
        optimal=sum(figure.optimal for figure in mine),
        beaten=sum(figure.below for figure in mine),
        instances=instances,
        trained_on=len(seen),
        repeats=min((figure.repeats for figure in mine if figure.repeats), default=0),
        spread=statistics.median(spreads) if spreads else None,
        reasons=tuple(_lacking(is_published, mine, instances)),
    )


def _against_best(side: Side, figure: SolverFigure) -> float:
    """Log of best cost known / what counts."""
    (value,) = side.counted[figure.benchmark]
    best = max(figure.best or 1, 1)
    return value if best == reference_cost(figure) else value + math.log(best / reference_cost(figure))


def _possible(low: float | None, ratio: float, mine: Sequence[SolverFigure]) -> float | None:
    """The lower end of the interval around ``ratio``, not below the least that cost/best can be on these instances.

    No cost is below its proven bound, and where none is known it still counts as 1 at least.
    """
    least = [math.log(max(figure.bound or 1, 1) / max(figure.best or 1, 1)) for figure in mine]
    return None if low is None else max(low, min(ratio, math.exp(math.fsum(least) / len(least))))


def _score_interval(points: Sequence[float]) -> tuple[float | None, float | None]:
    """Of the sum, for instances like these; nothing beyond what a score can be."""
    if len(points) < 2:
        return None, None
    shares = [[[point]] for point in points]
    found = remembered("score", shares, lambda: list(suite_effect(shares).like_these or ()))
    if not found:
        return None, None
    low, high = (min(float(len(points)), max(0.0, len(points) * end)) for end in found)
    return low, high


def _lacking(is_published: bool, mine: Sequence[SolverFigure], instances: int) -> list[str]:
    known = sum(figure.outcome != "not run" for figure in mine)
    if known == instances:
        return []
    if is_published:
        of_those = "cost/best and gap are of these alone, and the score has 0 for the others"
        return [f"published of {known} of {instances} instances: {of_those}"]
    return [f"not run on {instances - known} of {instances} instances: they count as failed"]


def _refusals(row: SolverStanding, mine: Sequence[SolverFigure], required: float) -> list[str]:
    """Why a solver is not ranked: nothing, when it is."""
    known = sum(figure.outcome != "not run" for figure in mine)
    found = []
    if known < required * row.instances - 1e-9:
        found.append(f"run on {known} of {row.instances} instances, below the suite's rule of {100 * required:.0f} %")
    if row.trained_on:
        found.append(made_on_words(row.trained_on, row.instances))
    return found


def _ranked(
    rows: Sequence[SolverStanding], sides: Sequence[Side], refused: Mapping[str, Sequence[str]], *, judged: bool
) -> list[SolverStanding]:
    """The rows with ranks and verdicts. ``judged``: whether the suite knows a best cost of every instance."""
    able = [side for side in sides if not refused[side.policy]]
    places = ranks(able, ahead(able, {}, paired=False))
    told = judge(able) if judged else {}
    done = []
    for row in rows:
        if row.published:
            done.append(row)
        elif row.policy not in places:
            done.append(replace(row, reasons=tuple(refused[row.policy])))
        else:
            low, high = places[row.policy]
            row = replace(row, rank=low, rank_high=high, reasons=row.reasons + too_few(row.instances, "instances"))
            done.append(_judged(row, told[row.policy]) if row.policy in told else row)
    return done


def _judged(row: SolverStanding, told: Judgement) -> SolverStanding:
    """The row with what may be said of cost/best, as far as its interval does not contradict it."""
    if row.ratio is None:
        return row
    interval = None if row.low is None or row.high is None else (-math.log(row.high), -math.log(row.low))
    found = agreed(told, -math.log(row.ratio), interval)
    without = None if found.without is None else math.exp(-found.without)
    return replace(row, verdict=found.word.value, p=found.p, depends_on=found.depends_on, without=without)
