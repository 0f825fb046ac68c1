"""A way to choose passes: what each form of policy has of its own."""

from collections.abc import Mapping
from typing import Protocol

from harness.apply.decisions import Decided
from harness.freeze import FrozenModule
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["Way"]


class Way(Protocol):
    """One form, or several that are asked alike."""

    def check(self, policy: Policy, where: str) -> None:
        """Raise UsageError, naming the field or the place, for a policy that is not of this form."""

    def notes(self, policy: Policy) -> list[str]:
        """What its author should know, and what is no fault."""

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The list of this module. Raises CellError."""

    def parts(self, policy: Policy) -> list[str]:
        """What the decisions depend on, beside the policy's files and the table of passes."""

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """Of a form that decides in steps: what it chooses from and what it sees, each with its digest."""
