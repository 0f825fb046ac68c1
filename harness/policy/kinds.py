"""What a kind of policy is, and the registry of kinds: each is known by being in a folder of ``harness/problems``.

A kind checks a policy's files, decides for a frozen module, and turns decisions alone into a plan.
"""

from functools import cache
from typing import Protocol

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.vocabulary import Level, PolicyKind, Target, Track
from harness.freeze import FrozenModule
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["Kind", "kind_of"]

_MODULE = "problem"
"""Of each folder in ``harness/problems``: it has ``KINDS``, the kinds of policy that the problem is decided by."""


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


@cache
def _kinds() -> dict[PolicyKind, Kind]:
    return {name: kind for module in in_every_folder(PROBLEMS, _MODULE) for name, kind in module.KINDS.items()}


def kind_of(name: PolicyKind) -> Kind:
    """The kind's implementation."""
    return _kinds()[name]
