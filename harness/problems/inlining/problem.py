"""What the registry of problems reads: the kinds of policy that decide it."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.inlining.heuristic import HeuristicKind
from harness.problems.inlining.inliner import InlinerKind

__all__ = ["KINDS"]

KINDS: dict[PolicyKind, Kind] = {PolicyKind.HEURISTIC: HeuristicKind(), PolicyKind.INLINER: InlinerKind()}
