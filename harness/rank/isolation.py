"""Whose measurements were taken under weaker rules: without the sandbox, or asked again too soon."""

from typing import TYPE_CHECKING

from harness.rank.question import Question
from harness.sandbox.bench import ASKED_AGAIN_AFTER

if TYPE_CHECKING:
    import duckdb

__all__ = ["hurried_policies", "trusted_policies"]

_SQL = """
SELECT DISTINCT policy FROM measurements
WHERE isolation <> 'sandbox' AND suite = $suite AND target = $target AND track = $track AND metric = $metric
  AND llvm = $llvm
ORDER BY policy
"""
_HURRIED = """
SELECT DISTINCT m.policy FROM measurements m JOIN runs u USING (run)
WHERE u.asked_again_after < $usual AND m.kind IN ('heuristic', 'inliner') AND m.suite = $suite AND m.target = $target
  AND m.track = $track AND m.metric = $metric AND m.llvm = $llvm
ORDER BY m.policy
"""


def hurried_policies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """The inlining policies with a measurement in these standings whose run asked again sooner than it should."""
    names = ("suite", "target", "track", "metric", "llvm")
    chosen = {name: getattr(question, name) for name in names}
    found = index.execute(_HURRIED, chosen | {"usual": ASKED_AGAIN_AFTER}).fetchall()
    return [str(policy) for (policy,) in found]


def trusted_policies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """The policies with a measurement in these standings that ``--trust`` took."""
    names = ("suite", "target", "track", "metric", "llvm")
    found = index.execute(_SQL, {name: getattr(question, name) for name in names}).fetchall()
    return [str(policy) for (policy,) in found]
