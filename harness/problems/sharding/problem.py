"""What the registry of problems reads: sharding instances are benchmarks, which solvers decide."""

from harness.problems.instances.benchmarks import Instances
from harness.problems.instances.policies import Solvers
from harness.problems.protocol import Benchmarks
from harness.problems.sharding.domain import Sharding

__all__ = ["BENCHMARKS", "POLICIES"]

BENCHMARKS: Benchmarks = Instances(Sharding())
POLICIES = Solvers()
