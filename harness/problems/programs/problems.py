"""What is asked of the problems whose policies decide about programs."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.policy.forms.interface import Interface
from harness.policy.problems import Problem
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench

__all__ = [
    *("PartlyPureProblem", "ProgramProblem", "PureProblem", "StepwiseProblem", "TunableProblem"),
    *("plan_of", "program_problem"),
]


@runtime_checkable
class ProgramProblem(Problem, Protocol):
    """A problem whose policies replace a part of the compile plan."""

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """The level of the module that the policy starts from."""

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The policy's decisions, and what they cost. Raises CellError: ``policy-error`` or ``policy-timeout``."""

    def parts(self, policy: Policy) -> list[str]:
        """Digests of what of the harness itself shapes the decisions: with another one a cell is another cell."""

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """The plan of these decisions. Sees no policy: this is what replay runs."""

    def differing(self, first: Decisions, second: Decisions) -> str:
        """Where two decisions differ, for people."""

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """Raise PrerequisiteError, naming ``where``, unless decisions can be taken on the module and compared."""


@runtime_checkable
class StepwiseProblem(ProgramProblem, Protocol):
    """One with policies that decide in steps."""

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """What the policy chooses from and what it sees, each with its digest; none of one that decides once."""


@runtime_checkable
class PartlyPureProblem(ProgramProblem, Protocol):
    """One with policies for which nothing must be ready, and others."""

    def is_pure(self, policy: Policy) -> bool:
        """Whether the policy needs nothing but LLVM."""


@runtime_checkable
class TunableProblem(ProgramProblem, Protocol):
    """One with policies that have constants, for which ``harness tune`` searches good values."""

    def interface(self, policy: Policy) -> Interface | None:
        """What the policy is asked; None: it is not asked anything."""

    def tried(self, policy: Policy, frozen: FrozenModule, bench: Bench) -> Path:
        """The object that the policy gives: asked once, and not replayed. Raises CellError as ``decide`` does."""


class PureProblem:
    """What the problems share whose policies hold no code: the same decisions whenever they are asked for."""

    def notes(self, policy: Policy) -> list[str]:
        """Nothing to remark."""
        return []

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """The track's level."""
        return FROZEN_AT[track]

    def parts(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def differing(self, first: Decisions, second: Decisions) -> str:
        """Never asked."""
        return "somewhere"

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """Always."""


@cache
def program_problem(name: str) -> ProgramProblem:
    """The problem of this name. Raises UsageError for an unknown one, and for one that is not about programs."""
    found = problem_of(name)
    if not isinstance(found, ProgramProblem):
        raise UsageError(f"problem {name!r} is not about programs")
    return found


def plan_of(decisions: Decisions, target: Target) -> CompilePlan:
    """The plan of these decisions. Raises CellError, ``not-replayable``, where none comes of them."""
    try:
        problem = program_problem(decisions.problem)
    except UsageError as error:
        raise CellError(Outcome.NOT_REPLAYABLE, error.message) from None
    return problem.plan(decisions, target)
