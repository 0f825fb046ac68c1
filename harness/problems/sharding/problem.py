"""What the registry of problems reads: sharding instances are benchmarks, which solvers decide."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.protocol import Benchmarks
from harness.problems.sharding.benchmarks import Instances
from harness.problems.sharding.kind import ShardingKind

__all__ = ["BENCHMARKS", "KINDS"]

BENCHMARKS: Benchmarks = Instances()
KINDS: dict[PolicyKind, Kind] = {PolicyKind.SHARDING: ShardingKind()}
