"""What solvers give on instances under other numbers (``harness run --perturb``).

A table of recorded assignments has nothing to say about a copy; a solver that was made for the order in which an
instance happens to be written gives less there. Costs of copies are those of the same assignments to the instances.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.problems.instances.entries import SolverFigure
from harness.rank.contest import finite_ratio
from harness.rank.question import Question
from harness.rank.remembered import remembered
from harness.statistics import suite_effect

if TYPE_CHECKING:
    import duckdb

__all__ = ["Renumbered", "on_renumbered"]

_LEAST = 1.01
"""Costs that rise by less are not judged."""


@dataclass(frozen=True, slots=True)
class Renumbered:
    """One solver."""

    policy: str
    instances: int
    """That it solved as they are, and was given under other numbers."""
    failed: int
    """Copies of them without a solution: they count as the plain assignment's cost, or as its own."""
    ratio: float
    """Cost of the copy / cost of the instance, the geometric mean."""
    low: float | None
    high: float | None
    """95 % interval, for instances like these."""

    @property
    def words(self) -> str:
        """For people."""
        interval = "" if self.low is None or self.high is None else f" ({_times(self.low)} to {_times(self.high)})"
        lost = f", and fails on {self.failed}" if self.failed else ""
        said = (
            f"on {self.instances} instances under other numbers it costs {_times(self.ratio)} times as much{interval}"
        )
        rests = self.failed or (self.low is not None and self.low > _LEAST)
        verdict = ": what it gives rests on how these instances are numbered" if rests else ""
        return f"{self.policy}: {said}{lost}{verdict}"


def _times(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 1000 else f"{ratio:.1e}"


_QUERY = """SELECT c.policy, c.benchmark, u.machine, c.outcome, CAST(m.exact AS VARCHAR)
FROM copies c JOIN runs u ON u.started = c.started AND u.suite = c.suite
LEFT JOIN measurements m ON m.cell = c.cell AND m.policy = c.policy AND m.metric = 'cost'
WHERE c.suite = ? AND c.track = ? AND c.policy_digest IN (
  SELECT arg_max(policy_digest, started) FROM cells WHERE suite = c.suite AND policy = c.policy
) AND u.time_scale = ? AND u.cores = ?
QUALIFY row_number() OVER (PARTITION BY c.policy, c.benchmark, c.cell ORDER BY c.started DESC) = 1"""


def on_renumbered(
    index: "duckdb.DuckDBPyConnection", question: Question, figures: Sequence[SolverFigure]
) -> list[Renumbered]:
    """Every solver of the table that was given copies, under the table's conditions, on the machine of its row."""
    asked = [question.suite, question.track, question.under("time_scale"), question.under("cores")]
    about = {(figure.policy, figure.benchmark): figure for figure in figures if figure.solved}
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    failed: dict[str, int] = defaultdict(int)
    for policy, benchmark, machine, outcome, cost in index.execute(_QUERY, asked).fetchall():
        figure = about.get((policy, benchmark))
        if figure is None or figure.cost is None or figure.machine != machine:
            continue
        own = max(figure.cost, 1)
        if outcome != "ok" or cost is None:
            failed[policy] += 1
        reached = int(cost) if cost is not None else max(figure.plain or own, own)
        found[policy][benchmark].append(math.log(max(reached, 1) / own))
    return [_renumbered(policy, mine, failed[policy]) for policy, mine in sorted(found.items())]


def _renumbered(policy: str, mine: dict[str, list[float]], failed: int) -> Renumbered:
    logs = [[[math.fsum(each) / len(each)]] for each in mine.values()]
    found = remembered("renumbered", logs, lambda: list(suite_effect(logs).like_these or ()))
    low, high = found or (None, None)
    ratio = math.exp(math.fsum(one for ((one,),) in logs) / len(logs))
    return Renumbered(policy, len(logs), failed, ratio, finite_ratio(low), finite_ratio(high))
