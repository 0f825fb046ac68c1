"""Memory over time of a recorded solution: the instance and the assignment give it, nothing of it is stored."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from harness.base.errors import UsageError
from harness.base.paths import cache_root
from harness.base.store import Store
from harness.problems.instances.cell import assignment_of
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.files import load_instance
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.evaluate import memory_profile
from harness.record.decisions import load_decisions

if TYPE_CHECKING:
    import duckdb

__all__ = ["MemoryOverTime", "memory_over_time"]


@dataclass(frozen=True)
class MemoryOverTime:
    """Steps: from ``times[k]`` to before ``times[k + 1]`` at most ``usage[k]`` bytes are in use."""

    times: tuple[int, ...]
    usage: tuple[int, ...]
    limit: int | None
    peak: int


def memory_over_time(
    index: "duckdb.DuckDBPyConnection", suite: str, figure: SolverFigure, most: int = 2000
) -> MemoryOverTime:
    """Of the solution; where it has more moments than ``most``, neighbours are joined and the highest stands for them.

    Raises UsageError where there is no solution or the instance is another one now, PrerequisiteError where its file
    is not here: nothing is fetched.
    """
    if figure.decisions_digest is None or figure.run is None:
        raise UsageError(f"{figure.policy} has no solution of {figure.benchmark}")
    domain = Sharding()
    (listed,) = load_instances(domain, suite).choose([figure.benchmark])
    if listed.digest != figure.digest:
        raise UsageError(f"{listed.id} has changed since this run")
    (file,) = index.execute("SELECT file FROM runs WHERE run = ?", [figure.run]).fetchone() or ("",)
    assignment = assignment_of(domain, load_decisions(Path(file).parent, figure.decisions_digest))
    instance = load_instance(replace(listed, upstream=None), Store(cache_root()))
    profile = memory_profile(instance, assignment)
    starts = np.arange(0, len(profile.times), max(1, -(-len(profile.times) // most)))
    usage = np.maximum.reduceat(profile.usage, starts) if len(starts) else profile.usage
    return MemoryOverTime(
        tuple(profile.times[starts].tolist()), tuple(usage.tolist()), instance.usage_limit, profile.peak
    )
