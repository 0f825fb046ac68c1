"""What the registry of problems reads."""

from colouring.domain import Colouring

from harness.problems.instances.benchmarks import Instances
from harness.problems.instances.policies import Solvers

__all__ = ["BENCHMARKS", "POLICIES"]

BENCHMARKS = Instances(Colouring())
POLICIES = Solvers()
