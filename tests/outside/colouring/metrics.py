"""What is measured of a colouring beyond its cost."""

import numpy as np

from harness.base.vocabulary import Target
from harness.measure.evidence import Need
from harness.measure.registry import metric
from harness.problems.instances.domain import Solution

__all__: list[str] = []


@metric(
    "colour.largest",
    unit="vertices",
    deterministic=False,
    needs=[Need.ANSWER],
    tracks=["colouring"],
    targets=[Target.X86_64],
    not_ranked="",
)
def largest(solution: Solution) -> int:
    """Count the vertices that have the commonest colour."""
    return int(np.unique(solution.assignment, return_counts=True)[1].max())
