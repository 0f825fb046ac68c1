"""What the registry of problems reads: sharding instances are benchmarks, which solvers decide."""

from harness.problems.protocol import Benchmarks
from harness.problems.sharding.benchmarks import Instances
from harness.problems.sharding.policies import Solvers

__all__ = ["BENCHMARKS", "POLICIES"]

BENCHMARKS: Benchmarks = Instances()
POLICIES = Solvers()
