"""What solvers give on instances under other numbers (``harness run --perturb``).

A table of recorded assignments has nothing to say about a copy; a solver that was made for the order in which an
instance happens to be written gives less there. Costs of copies are those of the same assignments to the instances.
"""

import math
from collections import Counter, defaultdict
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

__all__ = ["NotRenumbered", "Renumbered", "not_on_renumbered", "on_renumbered"]

_LEAST = 1.01
"""Costs that rise by less are not judged."""
_ROUNDING = 1e-12
_MUCH = 2.0
"""An instance whose copy costs so many times as much is named: a mean of many would hide it."""


@dataclass(frozen=True, slots=True)
class Renumbered:
    """One solver."""

    policy: str
    instances: int
    """That it solved as they are, and was given under other numbers."""
    solved: int
    """Instances of the table that it solved as they are."""
    failed: tuple[str, ...]
    """Copies of them without a solution: they count as the plain assignment's cost, or as its own."""
    ratio: float
    """Cost of the copy / cost of the instance, the geometric mean."""
    low: float | None
    high: float | None
    """95 % interval, for instances like these."""
    much: tuple[tuple[str, float], ...]
    """Instances whose copies cost at least twice as much, and how many times as much, the most first."""

    @property
    def words(self) -> str:
        """For people."""
        interval = "" if self.low is None or self.high is None else f" ({_times(self.low)} to {_times(self.high)})"
        of = f"{self.instances} of {self.solved}" if self.instances < self.solved else f"{self.instances}"
        said = f"on {of} instance{'s' if self.solved != 1 else ''} under other numbers it costs {_times(self.ratio)}"
        said += f" times as much{interval}"
        if self.much:
            said += f", at least twice as much on {', '.join(f'{name} ({_times(by, 1)})' for name, by in self.much)}"
        if self.failed:
            said += f", and fails on {len(self.failed)} ({', '.join(self.failed)})"
        rests = self.failed or (self.low is not None and self.low > _LEAST)
        verdict = ": what it gives rests on how these instances are numbered" if rests else ""
        return f"{self.policy}: {said}{verdict}"


@dataclass(frozen=True, slots=True)
class NotRenumbered:
    """Solvers of which nobody knows what they give under other numbers."""

    policies: tuple[str, ...]
    elsewhere: bool
    """They were given copies under other conditions."""

    @property
    def words(self) -> str:
        """For people."""
        how = "run on copies (--perturb) with other limits, cores or machines only"
        return f"{', '.join(self.policies)}: {how if self.elsewhere else 'never run on copies (--perturb)'}"


def _times(ratio: float, digits: int = 3) -> str:
    """``2.264``; what is a thousand times too much or more, or would be shown as nothing, ``1.3e-09``."""
    return f"{ratio:.{digits}f}" if 10.0**-digits <= ratio < 1000 else f"{ratio:.1e}"


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
    failed: dict[str, set[str]] = defaultdict(set)
    for policy, benchmark, machine, outcome, cost in index.execute(_QUERY, asked).fetchall():
        figure = about.get((policy, benchmark))
        if figure is None or figure.cost is None or figure.machine != machine:
            continue
        own = max(figure.cost, 1)
        if outcome != "ok" or cost is None:
            failed[policy].add(benchmark)
        reached = int(cost) if cost is not None else max(figure.plain or own, own)
        found[policy][benchmark].append(math.log(max(reached, 1) / own))
    solved = Counter(policy for policy, _ in about)
    return [_renumbered(policy, solved[policy], mine, failed[policy]) for policy, mine in sorted(found.items())]


def _renumbered(policy: str, solved: int, mine: dict[str, list[float]], failed: set[str]) -> Renumbered:
    means = {name: math.fsum(each) / len(each) for name, each in mine.items()}
    logs = [[[mean]] for mean in means.values()]
    found = remembered("renumbered", logs, lambda: list(suite_effect(logs).like_these or ()))
    low, high = found or (None, None)
    ratio = math.exp(math.fsum(means.values()) / len(means))
    most = sorted(means, key=lambda name: (-means[name], name))
    much = tuple((name, math.exp(means[name])) for name in most if means[name] >= math.log(_MUCH) - _ROUNDING)
    ends = finite_ratio(low), finite_ratio(high)
    return Renumbered(policy, len(logs), solved, tuple(sorted(failed)), ratio, *ends, much)


_EVER = """SELECT DISTINCT c.policy FROM copies c WHERE c.suite = ? AND c.track = ? AND c.policy_digest IN (
  SELECT arg_max(policy_digest, started) FROM cells WHERE suite = c.suite AND policy = c.policy
)"""


def not_on_renumbered(
    index: "duckdb.DuckDBPyConnection",
    question: Question,
    figures: Sequence[SolverFigure],
    found: Sequence[Renumbered],
) -> list[NotRenumbered]:
    """The solvers of the table that ``found`` says nothing of: never given a copy, or under other conditions only."""
    rest = {figure.policy for figure in figures} - {one.policy for one in found}
    ever = {policy for (policy,) in index.execute(_EVER, [question.suite, question.track]).fetchall()}
    both = ((rest - ever, False), (rest & ever, True))
    return [NotRenumbered(tuple(sorted(names)), elsewhere) for names, elsewhere in both if names]
