"""Whose measurements were taken without the sandbox."""

from typing import TYPE_CHECKING

from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["trusted_policies"]

_SQL = """
SELECT DISTINCT policy FROM measurements
WHERE isolation <> 'sandbox' AND suite = $suite AND target = $target AND track = $track AND metric = $metric
  AND llvm = $llvm
ORDER BY policy
"""


def trusted_policies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """The policies with a measurement in these standings that ``--trust`` took."""
    names = ("suite", "target", "track", "metric", "llvm")
    found = index.execute(_SQL, {name: getattr(question, name) for name in names}).fetchall()
    return [str(policy) for (policy,) in found]
