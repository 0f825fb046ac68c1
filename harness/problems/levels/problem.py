"""What the registry of problems reads: the kinds of policy that decide it."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.levels.kind import LevelKind

__all__ = ["KINDS"]

KINDS: dict[PolicyKind, Kind] = {PolicyKind.LEVEL: LevelKind()}
