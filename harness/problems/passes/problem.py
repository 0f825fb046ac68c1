"""What the registry of problems reads: the kinds of policy that decide it."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.passes.kind import PassSequenceKind

__all__ = ["KINDS"]

KINDS: dict[PolicyKind, Kind] = {PolicyKind.PASS_SEQUENCE: PassSequenceKind()}
