"""What is measured of a solution of a sharding instance: a feasible assignment that a solver printed in time."""

from typing import TYPE_CHECKING

from harness.base.vocabulary import Target, Track
from harness.measure.registry import metric

if TYPE_CHECKING:
    from harness.problems.sharding.judge import Solution


@metric("cost", unit="units", deterministic=False, tracks=(Track.SHARDING,), targets=(Target.X86_64,))
def cost(solution: "Solution") -> int:
    """Exact cost of the assignment that counts: the sum over nodes and edges, in the instance's own unit."""
    return solution.cost


@metric("cost.seconds", unit="s", deterministic=False, tracks=(Track.SHARDING,), targets=(Target.X86_64,))
def cost_seconds(solution: "Solution") -> float:
    """When the assignment that counts was printed, from the solver's start."""
    return solution.seconds


@metric("usage.peak", unit="bytes", deterministic=False, tracks=(Track.SHARDING,), targets=(Target.X86_64,))
def usage_peak(solution: "Solution") -> int:
    """The most memory that the assignment uses at any moment."""
    return solution.peak
