"""What is measured of a solution of a sharding instance beyond its cost."""

from harness.base.vocabulary import Target
from harness.measure.evidence import Need
from harness.measure.registry import metric
from harness.problems.instances.domain import Solution
from harness.problems.sharding.evaluate import memory_profile
from harness.problems.sharding.names import SHARDING

__all__: list[str] = []


@metric(
    "usage.peak", unit="bytes", deterministic=False, needs=[Need.ANSWER], tracks=[SHARDING], targets=[Target.X86_64],
    not_ranked="",
)  # fmt: skip
def usage_peak(solution: Solution) -> int:
    """The most memory that the assignment uses at any moment."""
    return memory_profile(solution.instance, solution.assignment).peak
