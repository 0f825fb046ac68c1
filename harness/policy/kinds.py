"""What a kind of policy is, and the registry of kinds: each is known by being in a folder of ``harness/problems``.

What else a kind does is a matter of what it decides about: of programs, ``harness.problems.programs.kinds`` says it.
"""

from functools import cache
from typing import Protocol

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.vocabulary import PolicyKind
from harness.policy.policy import Policy

__all__ = ["Kind", "kind_of"]

_MODULE = "problem"
"""Of each folder in ``harness/problems``: it has ``KINDS``, the kinds of policy that the problem is decided by."""


class Kind(Protocol):
    """What loading and showing a policy asks of its kind."""

    def check(self, policy: Policy, where: str) -> None:
        """Raise UsageError, naming the field, when the manifest lacks what the kind needs."""

    def notes(self, policy: Policy) -> list[str]:
        """Remarks for people on what of the policy's files is not done as written."""


@cache
def _kinds() -> dict[PolicyKind, Kind]:
    return {name: kind for module in in_every_folder(PROBLEMS, _MODULE) for name, kind in module.KINDS.items()}


def kind_of(name: PolicyKind) -> Kind:
    """The kind's implementation."""
    return _kinds()[name]
