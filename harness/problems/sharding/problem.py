"""What the registry of problems reads: the kinds of policy that decide it."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.sharding.kind import ShardingKind

__all__ = ["KINDS"]

KINDS: dict[PolicyKind, Kind] = {PolicyKind.SHARDING: ShardingKind()}
