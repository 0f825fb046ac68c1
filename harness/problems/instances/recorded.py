"""The solution of a recorded cell, read back: the instance as it was, and the assignment that was kept."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from harness.base.errors import UsageError
from harness.base.paths import cache_root
from harness.base.store import Store
from harness.problems.instances.cell import assignment_of
from harness.problems.instances.domain import Assignment, Domain
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.files import load_instance
from harness.problems.instances.suite import load_instances
from harness.record.decisions import load_decisions

if TYPE_CHECKING:
    import duckdb

__all__ = ["recorded_solution"]

Instance = TypeVar("Instance")


def recorded_solution(
    domain: Domain[Instance], index: "duckdb.DuckDBPyConnection", suite: str, figure: SolverFigure
) -> tuple[Instance, Assignment]:
    """The instance and the assignment.

    Raises UsageError where there is no solution or the instance is another one now, PrerequisiteError where its file
    is not here: nothing is fetched.
    """
    if figure.decisions_digest is None or figure.run is None:
        raise UsageError(f"{figure.policy} has no solution of {figure.benchmark}")
    (listed,) = load_instances(domain, suite).choose([figure.benchmark])
    if listed.digest != figure.digest:
        raise UsageError(f"{listed.id} has changed since this run")
    (file,) = index.execute("SELECT file FROM runs WHERE run = ?", [figure.run]).fetchone() or ("",)
    assignment = assignment_of(domain, load_decisions(Path(file).parent, figure.decisions_digest))
    return load_instance(replace(listed, upstream=None), Store(cache_root())), assignment
