"""What each solver gave on each instance, against the best cost known; and cost over time. One query each.

Of several runs of a solver on an instance the median counts, of two the worse; one that failed is worse than any cost.
Runs of two machines are never pooled: of each solver on each instance those of one machine count, the one with the most
cells of the table that has any, or of equally many the newest.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.base.vocabulary import Outcome
from harness.policy.tracks import facts_of
from harness.problems.instances.domain import Domain
from harness.problems.instances.training import unseen_sql
from harness.rank.question import Question, literal, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["SolverFigure", "cost_over_time", "history_sql", "solver_figures", "solver_sql"]


@dataclass(frozen=True, slots=True)
class SolverFigure:
    """One solver on one instance."""

    policy: str
    policy_class: str
    benchmark: str
    split: str
    origin: str
    digest: str
    """The instance's."""
    limit: float
    """Seconds that it had."""
    best: int | None
    """The lowest cost known; where the suite knows none, the lowest recorded."""
    bound: int | None
    """A proven lower bound of the cost."""
    outcome: str
    """The cell's; ``not run`` without one."""
    detail: str
    cost: int | None
    seconds: float | None
    """When the assignment that counts was printed."""
    cpu: str | None
    """The machine's."""
    machine: str | None
    """What must be the same for runs to be pooled (``harness.base.machine``); None: not published."""
    cell: str | None
    run: str | None
    decisions_digest: str | None
    further: Mapping[str, int | None]
    """Of ``Domain.further``: column → value."""
    cores: int | None = None
    """That the solver had; None: not published."""
    known: int | None = None
    """The lowest cost that the suite knows."""
    plain: int | None = None
    """The cost of the problem's plain assignment, which takes no solver."""
    team: int | None = None
    """The lowest cost of a contest's team, where the contest counted the instance."""
    repeats: int = 1
    """Runs of the solver on the instance."""
    failures: int = 0
    """Those without a cost."""
    lowest: int | None = None
    highest: int | None = None
    """Of the runs' costs."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        own = {name: value for name, value in asdict(self).items() if name != "further"}
        return own | dict(self.further) | {
            "ratio": self.ratio, "points": self.points, "gap": self.gap, "optimal": self.optimal, "spread": self.spread
        }  # fmt: skip

    @property
    def solved(self) -> bool:
        """Whether a feasible assignment was printed in time."""
        return self.outcome == Outcome.OK.value and self.cost is not None

    @property
    def ratio(self) -> float | None:
        """Cost / best cost known; a cost of 0 counts as 1. None without a solution."""
        if self.cost is None or self.best is None or not self.solved:
            return None
        return max(self.cost, 1) / max(self.best, 1)

    @property
    def below(self) -> bool:
        """Whether its cost is below the best known."""
        return self.solved and self.cost is not None and self.best is not None and self.cost < self.best

    @property
    def share(self) -> float:
        """Best cost known / cost; 0 without a solution."""
        return 0.0 if self.ratio is None else 1.0 if self.ratio == 1 else 1 / self.ratio

    @property
    def points(self) -> float | None:
        """By the contest's rule: best / cost, where the best is of all who compete, its teams and this solver.

        0 without a solution; None where the contest did not count the instance.
        """
        if self.team is None:
            return None
        if self.cost is None or not self.solved:
            return 0.0
        return 1.0 if self.cost <= self.team else self.team / self.cost

    @property
    def spread(self) -> float | None:
        """How far the largest cost of its runs is above the lowest, as a share of that. None of fewer than two."""
        if self.lowest is None or self.highest is None or self.repeats - self.failures < 2:
            return None
        return (self.highest - self.lowest) / max(self.lowest, 1)

    @property
    def gap(self) -> float | None:
        """How far the cost is above the bound, as a share of it. None without a solution or a bound above 0."""
        if self.cost is None or not self.solved or not self.bound:
            return None
        return (self.cost - self.bound) / self.bound

    @property
    def optimal(self) -> bool:
        """Whether it is proven to be the lowest cost."""
        return self.solved and self.cost == self.bound


def solver_sql(domain: Domain[Any], question: Question, *policies: str) -> str:
    """The query behind the standings of solvers; with ``policies``, behind theirs alone."""
    conditions = [
        f"c.suite = {quote(question.suite)}",
        f"c.track = {quote(question.track)}",
        f"c.target = {quote(question.target)}",
        f"c.llvm = {quote(question.llvm)}",
    ]
    conditions += [f"c.{name} = {literal(value)}" for name, value in question.conditions]
    conditions += [*question.among("c"), *unseen_sql(domain, question)]
    further = {
        name: f"max(exact) FILTER (metric = {quote(metric)}) AS {name}" for name, metric in domain.further.items()
    }
    taken = "".join(f", {words}" for words in further.values())
    named = "".join(f", {name}" for name in further)
    floor = quote(facts_of(question.track).floor)
    only = f"WHERE policy IN ({', '.join(map(quote, policies))}) " if policies else ""
    return f"""WITH asked AS (
  SELECT c.*, u.cpu, u.machine, i.seconds, i.best, i.bound, i.plain
  FROM cells c JOIN runs u USING (run) JOIN instances i USING (run, benchmark) WHERE {" AND ".join(conditions)}
), version AS (  -- a policy that was changed counts as it is now
  SELECT policy, arg_max(policy_digest, started) AS policy_digest FROM asked GROUP BY policy
), instance AS (  -- as it was last recorded
  SELECT benchmark, arg_max(program_digest, started) AS program_digest, arg_max(split, started) AS split,
         arg_max(origin, started) AS origin, arg_max(seconds, started) * any_value(time_scale) AS seconds_allowed,
         arg_max(best, started) AS known, arg_max(bound, started) AS bound, arg_max(plain, started) AS plain
  FROM asked GROUP BY benchmark
), floor AS (  -- the plain assignment's cost, where files are too old to say it
  SELECT c.benchmark, c.program_digest, max(m.exact) AS cost
  FROM cells c JOIN measurements m USING (cell)
  WHERE c.suite = {quote(question.suite)} AND c.policy = {floor} AND m.metric = 'cost' GROUP BY ALL
), current AS (
  SELECT asked.* FROM asked JOIN version USING (policy, policy_digest) JOIN instance USING (benchmark, program_digest)
), host AS (  -- machines, the one that most was measured on first, then the newest
  SELECT machine, row_number() OVER (
    ORDER BY count(DISTINCT (policy, benchmark, seed)) DESC, max(started) DESC, machine) AS place
  FROM current GROUP BY machine
), latest AS (  -- the newest cell of each run of each policy on each instance, all of one machine
  SELECT * EXCLUDE (place) FROM (
    SELECT current.*, place FROM current JOIN host USING (machine)
    QUALIFY place = min(place) OVER (PARTITION BY benchmark, policy)
  )
  QUALIFY row_number() OVER (PARTITION BY benchmark, policy, seed ORDER BY isolation, started DESC, run DESC) = 1
), told AS (  -- values of two versions of a metric are never compared
  SELECT * FROM measurements WHERE cell IN (SELECT cell FROM latest)
  QUALIFY metric_version = max(metric_version) OVER (PARTITION BY metric)
), value AS (
  SELECT cell, max(exact) FILTER (metric = 'cost') AS cost{taken},
         max(value) FILTER (metric = 'cost.seconds') AS found
  FROM told GROUP BY cell
), median AS (  -- of several runs, of two the worse; a failed one is worse than any cost
  SELECT latest.*, value.* EXCLUDE (cell), count(*) OVER mine AS repeats, min(cost) OVER mine AS lowest,
         max(cost) OVER mine AS highest, count(*) FILTER (WHERE cost IS NULL) OVER mine AS failures
  FROM latest LEFT JOIN value USING (cell)
  WINDOW mine AS (PARTITION BY policy, benchmark)
  QUALIFY row_number() OVER (PARTITION BY policy, benchmark ORDER BY cost NULLS LAST, cell) = repeats // 2 + 1
), entry AS (
  SELECT e.policy, e.class AS policy_class, n.benchmark, n.split, n.origin, n.program_digest AS digest,
         n.seconds_allowed AS "limit", n.bound,
         coalesce(n.known, min(m.lowest) OVER (PARTITION BY n.benchmark)) AS best,
         CASE WHEN m.cell IS NULL OR m.outcome = 'ok' AND m.cost IS NULL THEN 'not run' ELSE m.outcome END AS outcome,
         CASE WHEN m.outcome = 'ok' AND m.cost IS NULL THEN 'its cost is of an earlier version of the metric'
              ELSE coalesce(m.detail, '') END AS detail, m.cost, m.found AS seconds,
         m.cpu, m.machine, m.cell, m.run, m.decisions_digest, m.cores, n.known, coalesce(n.plain, floor.cost) AS plain,
         coalesce(m.repeats, 0) AS repeats, coalesce(m.failures, 0) AS failures, m.lowest, m.highest{named}
  FROM (SELECT DISTINCT policy, class FROM latest) e CROSS JOIN instance n
  LEFT JOIN median m ON m.policy = e.policy AND m.benchmark = n.benchmark
  LEFT JOIN floor ON floor.benchmark = n.benchmark AND floor.program_digest = n.program_digest
)
SELECT * FROM entry {only}ORDER BY policy, benchmark"""


def solver_figures(domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question) -> list[SolverFigure]:
    """Every solver on every instance that any of them was run on."""
    found = index.execute(solver_sql(domain, question))
    names = [column[0] for column in found.description or ()]
    figures = []
    for row in found.fetchall():
        fields = dict(zip(names, row, strict=True))
        further = {name: fields.pop(name) for name in domain.further}
        figures.append(SolverFigure(**fields, further=further))
    return figures


def history_sql(run: str, cell: str, policy: str) -> str:
    """The query behind ``cost_over_time``."""
    return (
        f"SELECT seconds, cost FROM histories WHERE run = {quote(run)} AND cell = {quote(cell)} "
        f"AND policy = {quote(policy)} ORDER BY seconds"
    )


def cost_over_time(index: "duckdb.DuckDBPyConnection", figure: SolverFigure) -> list[tuple[float, int]]:
    """Moments and costs of the feasible answers that were better than all before; none without a cell."""
    if figure.run is None or figure.cell is None:
        return []
    found = index.execute(history_sql(figure.run, figure.cell, figure.policy)).fetchall()
    return [(float(seconds), int(cost)) for seconds, cost in found]
