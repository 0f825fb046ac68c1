"""What is measured of a solution of whatever sort of instance: a feasible assignment that a solver printed in time."""

import math
from functools import partial

from harness.base.vocabulary import Target
from harness.measure.evidence import Need
from harness.measure.registry import metric
from harness.policy.tracks import all_tracks
from harness.problems.instances.domain import Solution
from harness.problems.instances.track import BENCHMARKS

__all__ = ["COST", "SECONDS"]

COST, SECONDS = "cost", "cost.seconds"
_of_answer = partial(
    metric, deterministic=False, needs=[Need.ANSWER], targets=[Target.X86_64],
    tracks=[name for name, facts in all_tracks().items() if facts.benchmarks == BENCHMARKS],
)  # fmt: skip


@_of_answer(COST, unit="units", not_ranked="", least=-math.inf)
def cost(solution: Solution) -> int:
    """Exact cost of the assignment that counts, in the instance's own unit."""
    return solution.cost


@_of_answer(SECONDS, unit="s", version=2, whole=False, least=1e-6)
def cost_seconds(solution: Solution) -> float:
    """When an assignment of the cost that counts was first printed, from the solver's start."""
    return solution.seconds
