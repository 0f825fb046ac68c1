"""What is asked of the kinds of policy that decide about programs."""

from functools import cache
from typing import Protocol, runtime_checkable

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, PolicyKind, Target, Track
from harness.freeze import FrozenModule
from harness.policy import Policy, kind_of
from harness.policy.kinds import Kind
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench

__all__ = ["ProgramKind", "PureKind", "plan_of", "program_kind"]


@runtime_checkable
class ProgramKind(Kind, Protocol):
    """A kind of policy that replaces a part of the compile plan."""

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

    def differing(self, first: Decisions, second: Decisions) -> str:
        """Where two decisions differ, for people."""

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """Raise PrerequisiteError, naming ``where``, unless decisions can be taken on the module and compared."""


class PureKind:
    """What the kinds share whose policies hold no code: the same decisions whenever they are asked for."""

    def notes(self, policy: Policy) -> list[str]:
        """Nothing to remark."""
        return []

    def freeze_level(self, policy: Policy, track: Track) -> Level:
        """The track's level."""
        return FROZEN_AT[track]

    def is_pure(self, policy: Policy) -> bool:
        """Nothing of it is run."""
        return True

    def parts(self) -> list[str]:
        """None."""
        return []

    def differing(self, first: Decisions, second: Decisions) -> str:
        """Never asked."""
        return "somewhere"

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """Always."""


@cache
def program_kind(name: PolicyKind) -> ProgramKind:
    """The kind's implementation. Raises UsageError for one that decides nothing about programs."""
    found = kind_of(name)
    if not isinstance(found, ProgramKind):
        raise UsageError(f"a policy of kind {name.value!r} decides nothing about programs")
    return found


def plan_of(decisions: Decisions, target: Target) -> CompilePlan:
    """The plan of these decisions. Raises CellError, ``not-replayable``, where none comes of them."""
    try:
        kind = program_kind(decisions.kind)
    except UsageError as error:
        raise CellError(Outcome.NOT_REPLAYABLE, error.message) from None
    return kind.plan(decisions, target)
