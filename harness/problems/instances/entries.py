"""What each solver gave on each instance, against the best cost known; and cost over time. One query each."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from harness.base.vocabulary import Outcome
from harness.problems.instances.domain import Domain
from harness.rank.figures import unseen_sql
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
    cell: str | None
    run: str | None
    decisions_digest: str | None
    further: Mapping[str, int | None]
    """Of ``Domain.further``: column → value."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        own = {name: value for name, value in asdict(self).items() if name != "further"}
        return own | dict(self.further) | {"share": self.share, "gap": self.gap, "optimal": self.optimal}

    @property
    def solved(self) -> bool:
        """Whether a feasible assignment was printed in time."""
        return self.outcome == Outcome.OK.value and self.cost is not None

    @property
    def share(self) -> float:
        """What it counts in the contest's score: best / cost; 0 without a solution."""
        if self.cost is None or self.best is None or not self.solved:
            return 0.0
        return 1.0 if self.cost == self.best else self.best / self.cost

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


def solver_sql(domain: Domain[Any], question: Question, policy: str | None = None) -> str:
    """The query behind the standings of solvers; with ``policy``, behind that one's instances.

    A row's share of the score is ``best / cost``.
    """
    conditions = [
        f"c.suite = {quote(question.suite)}",
        f"c.track = {quote(question.track)}",
        f"c.target = {quote(question.target)}",
        f"c.llvm = {quote(question.llvm)}",
        *(f"c.{name} = {literal(value)}" for name, value in question.conditions),
    ]
    conditions += [f"c.split = {quote(question.split)}"] if question.split else []
    conditions += [f"c.origin = {quote(question.origin)}"] if question.origin else []
    conditions += unseen_sql(question)
    further = {
        name: f"max(exact) FILTER (metric = {quote(metric)}) AS {name}" for name, metric in domain.further.items()
    }
    taken = "".join(f", {words}" for words in further.values())
    named = "".join(f", v.{name}" for name in further)
    only = f"WHERE policy = {quote(policy)} " if policy is not None else ""
    return f"""WITH asked AS (
  SELECT c.*, u.cpu, i.seconds, i.best, i.bound
  FROM cells c JOIN runs u USING (run) JOIN instances i USING (run, benchmark) WHERE {" AND ".join(conditions)}
), version AS (  -- a policy that was changed counts as it is now
  SELECT policy, arg_max(policy_digest, started) AS policy_digest FROM asked GROUP BY policy
), instance AS (  -- as it was last recorded
  SELECT benchmark, arg_max(program_digest, started) AS program_digest, arg_max(split, started) AS split,
         arg_max(origin, started) AS origin, arg_max(seconds, started) * any_value(time_scale) AS seconds_allowed,
         arg_max(best, started) AS published, arg_max(bound, started) AS bound
  FROM asked GROUP BY benchmark
), latest AS (  -- the newest cell of each policy on each instance
  SELECT asked.* FROM asked JOIN version USING (policy, policy_digest) JOIN instance USING (benchmark, program_digest)
  QUALIFY row_number() OVER (PARTITION BY benchmark, policy ORDER BY isolation, started DESC, run DESC) = 1
), told AS (  -- values of two versions of a metric are never compared
  SELECT * FROM measurements WHERE cell IN (SELECT cell FROM latest)
  QUALIFY metric_version = max(metric_version) OVER (PARTITION BY metric)
), value AS (
  SELECT cell, max(exact) FILTER (metric = 'cost') AS cost{taken},
         max(value) FILTER (metric = 'cost.seconds') AS seconds
  FROM told GROUP BY cell
), entry AS (
  SELECT e.policy, e.class, n.benchmark, n.split, n.origin, n.program_digest, n.seconds_allowed,
         coalesce(n.published, min(v.cost) OVER (PARTITION BY n.benchmark)) AS best, n.bound,
         CASE WHEN l.cell IS NULL OR l.outcome = 'ok' AND v.cost IS NULL THEN 'not run' ELSE l.outcome END AS outcome,
         CASE WHEN l.outcome = 'ok' AND v.cost IS NULL THEN 'its cost is of an earlier version of the metric'
              ELSE coalesce(l.detail, '') END AS detail, v.cost, v.seconds,
         l.cpu, l.cell, l.run, l.decisions_digest{named}
  FROM (SELECT DISTINCT policy, class FROM latest) e CROSS JOIN instance n
  LEFT JOIN latest l ON l.policy = e.policy AND l.benchmark = n.benchmark
  LEFT JOIN value v ON v.cell = l.cell
)
SELECT * FROM entry {only}ORDER BY policy, benchmark"""


def solver_figures(domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question) -> list[SolverFigure]:
    """Every solver on every instance that any of them was run on."""
    names = [entry.name for entry in fields(SolverFigure) if entry.name != "further"]
    found = []
    for row in index.execute(solver_sql(domain, question)).fetchall():
        further = dict(zip(domain.further, row[len(names) :], strict=True))
        found.append(SolverFigure(**dict(zip(names, row, strict=False)), further=further))
    return found


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
