"""Whose measurements were taken under weaker rules: without the sandbox, or asked again too soon."""

from typing import TYPE_CHECKING

from harness.policy import all_problems
from harness.rank.question import Question
from harness.sandbox.bench import ASKED_AGAIN_AFTER

if TYPE_CHECKING:
    import duckdb

__all__ = ["hurried_policies", "packages_of", "trusted_policies"]

_SQL = """
SELECT DISTINCT policy FROM measurements
WHERE isolation <> 'sandbox' AND list_contains($suites, suite)
  AND target = $target AND track = $track AND metric = $metric AND llvm = $llvm
ORDER BY policy
"""
_PACKAGES = """
SELECT DISTINCT packages FROM runs WHERE packages <> '' AND list_contains($suites, suite)
  AND track = $track AND llvm = $llvm
"""
_HURRIED = """
SELECT DISTINCT m.policy FROM measurements m JOIN runs u USING (run)
WHERE u.asked_again_after < $usual AND list_contains($asked, m.problem || coalesce('/' || m.form, ''))
  AND list_contains($suites, m.suite) AND m.target = $target
  AND m.track = $track AND m.metric = $metric AND m.llvm = $llvm
ORDER BY m.policy
"""


def packages_of(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """Other packages whose code ran in the harness when something in these standings was measured."""
    chosen = {name: getattr(question, name) for name in ("suites", "track", "llvm")}
    found = index.execute(_PACKAGES, chosen).fetchall()
    return sorted({name for (names,) in found for name in str(names).split(", ")})


def hurried_policies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """The policies with code of their own and a measurement in these standings whose run asked again too soon.

    Of rows of older schemas that do not tell the form: policies of problems that have such forms.
    """
    names = ("suites", "target", "track", "metric", "llvm")
    chosen = {name: getattr(question, name) for name in names}
    asked = [
        word
        for name, problem in all_problems().items()
        for form, facts in problem.forms.items()
        if not facts.pure and not facts.by_chance
        for word in (name, f"{name}/{form}")
    ]
    found = index.execute(_HURRIED, chosen | {"usual": ASKED_AGAIN_AFTER, "asked": asked}).fetchall()
    return [str(policy) for (policy,) in found]


def trusted_policies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """The policies with a measurement in these standings that ``--trust`` took."""
    names = ("suites", "target", "track", "metric", "llvm")
    found = index.execute(_SQL, {name: getattr(question, name) for name in names}).fetchall()
    return [str(policy) for (policy,) in found]
