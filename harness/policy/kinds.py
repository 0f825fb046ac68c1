"""The registry of policy kinds: the one place where a new kind is made known.

A kind checks a policy's files, decides for a frozen module, and turns decisions alone into a plan.
"""

from typing import Protocol

from harness.apply.plan import CompilePlan
from harness.bench import Bench
from harness.decide import Decided, Decisions
from harness.freeze import FrozenModule
from harness.policy.heuristic import HeuristicKind
from harness.policy.inliner.kind import InlinerKind
from harness.policy.level import LevelKind
from harness.policy.load import Policy
from harness.policy.pass_sequence import PassSequenceKind
from harness.policy.regalloc import RegallocKind
from harness.policy.sharding import ShardingKind
from harness.vocabulary import Level, PolicyKind, Target, Track

__all__ = ["KINDS", "Kind", "kind_of"]


class Kind(Protocol):
    """What the flow asks of a kind of policy."""

    def check(self, policy: Policy, where: str) -> None:
        """Raise UsageError, naming the field, when the manifest lacks what the kind needs."""

    def notes(self, policy: Policy) -> list[str]:
        """Remarks for people on what of the policy's files is not done as written."""

    def freeze_level(self, policy: Policy, track: Track) -> Level:
        """The level of the module that the policy starts from."""

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The policy's decisions, and what they cost. Raises CellError: ``policy-error`` or ``policy-timeout``."""

    def is_pure(self, policy: Policy) -> bool:
        """Whether only the harness's own code computes the decisions: asked again, it says the same."""

    def parts(self) -> list[str]:
        """Digests of what of the harness itself shapes the decisions: with another one a cell is another cell."""

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """The plan of these decisions. Sees no policy: this is what replay runs."""


KINDS: dict[PolicyKind, Kind] = {
    PolicyKind.LEVEL: LevelKind(),
    PolicyKind.PASS_SEQUENCE: PassSequenceKind(),
    PolicyKind.INLINER: InlinerKind(),
    PolicyKind.HEURISTIC: HeuristicKind(),
    PolicyKind.REGALLOC: RegallocKind(),
    PolicyKind.SHARDING: ShardingKind(),
}


def kind_of(name: PolicyKind) -> Kind:
    """The kind's implementation."""
    return KINDS[name]
