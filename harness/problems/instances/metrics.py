"""What is measured of a solution of whatever sort of instance: a feasible assignment that a solver printed in time."""

from harness.base.vocabulary import Target
from harness.measure.registry import metric
from harness.policy.tracks import all_tracks
from harness.problems.instances.domain import Solution
from harness.problems.instances.track import BENCHMARKS

__all__ = ["COST", "SECONDS"]

COST, SECONDS = "cost", "cost.seconds"
_TRACKS = [name for name, facts in all_tracks().items() if facts.benchmarks == BENCHMARKS]


@metric(COST, unit="units", deterministic=False, tracks=_TRACKS, targets=(Target.X86_64,))
def cost(solution: Solution) -> int:
    """Exact cost of the assignment that counts, in the instance's own unit."""
    return solution.cost


@metric(SECONDS, unit="s", deterministic=False, tracks=_TRACKS, targets=(Target.X86_64,))
def cost_seconds(solution: Solution) -> float:
    """When the assignment that counts was printed, from the solver's start."""
    return solution.seconds
