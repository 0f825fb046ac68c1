"""What the registry of problems reads: the kinds of policy that decide it."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.regalloc.kind import RegallocKind

__all__ = ["KINDS"]

KINDS: dict[PolicyKind, Kind] = {PolicyKind.REGALLOC: RegallocKind()}
