"""Two policies side by side, program by program."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.rank.standings import ENTRY, Question, figures_sql, quote, ratio_sql

if TYPE_CHECKING:
    import duckdb

__all__ = ["Comparison", "Summary", "compare", "compare_sql", "summarise"]


@dataclass(frozen=True)
class Comparison:
    """One program under two policies."""

    benchmark: str
    a: float | None
    b: float | None
    ratio: float | None
    """``b`` / ``a``: above 1, A is better (smaller)."""
    same_object: bool
    """Both policies gave the same object: the ratio is exactly 1."""
    outcome_a: str
    outcome_b: str

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return asdict(self)


def compare_sql(question: Question, a: str, b: str) -> str:
    """The query behind ``compare``."""
    return f"""{figures_sql(question, (a, b))}{ENTRY}
SELECT coalesce(x.benchmark, y.benchmark) AS benchmark, fx.value AS a, fy.value AS b,
       {ratio_sql(question, "fy.value", "fx.value")} AS ratio,
       coalesce(x.object_digest = y.object_digest, false) AS same_object,
       coalesce(x.outcome, 'not run') AS outcome_a, coalesce(y.outcome, 'not run') AS outcome_b
FROM (SELECT * FROM entry WHERE policy = {quote(a)}) x
FULL JOIN (SELECT * FROM entry WHERE policy = {quote(b)}) y USING (benchmark)
LEFT JOIN figure fx ON fx.benchmark = x.benchmark AND fx.policy = x.policy
LEFT JOIN figure fy ON fy.benchmark = y.benchmark AND fy.policy = y.policy
ORDER BY ratio DESC NULLS LAST, benchmark"""


def compare(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> list[Comparison]:
    """Every program that either policy was run on, the largest gain of A first.

    Raises UsageError when a policy has no rows.
    """
    for policy in (a, b):
        query = f"{figures_sql(question, (policy,))} SELECT count(*) FROM newest WHERE policy = {quote(policy)}"
        if (index.execute(query).fetchone() or (0,))[0] == 0:
            raise UsageError(
                f"no rows of policy {policy!r} for {question.suite}, {question.target}, track {question.track}",
                hint=f"run `harness run --suite {question.suite} --policy {policy}` first",
            )
    return [Comparison(*row) for row in index.execute(compare_sql(question, a, b)).fetchall()]


@dataclass(frozen=True)
class Summary:
    """A comparison in four numbers, over the programs that both policies completed."""

    mean: float | None
    """Geometric mean of ``ratio``: above 1, A is better. None when no program has both values."""
    wins: int
    """Programs on which A is better; ``losses``: B is; ``ties``: equal values."""
    losses: int
    ties: int
    programs: int
    """All programs that either policy was run on."""


def summarise(table: Sequence[Comparison]) -> Summary:
    """The summary of a comparison."""
    ratios = [row.ratio for row in table if row.ratio is not None]
    wins, losses = sum(ratio > 1 for ratio in ratios), sum(ratio < 1 for ratio in ratios)
    mean = math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios)) if ratios else None
    return Summary(mean, wins, losses, len(ratios) - wins - losses, len(table))
