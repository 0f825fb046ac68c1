"""Asking a policy once more: one that runs code of its own must decide alike whenever it is asked."""

from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.reading import shown_size
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.policy import Policy, is_asked_again
from harness.problems.programs.problems import program_problem
from harness.record.decisions import LARGEST
from harness.sandbox.bench import Bench

__all__ = ["decide_again", "decide_twice", "require_recordable", "require_same"]


def require_recordable(size: int) -> None:
    """Raise CellError, ``policy-error``, for decisions of more bytes than a file of them may have."""
    if size > LARGEST:
        raise CellError(
            Outcome.POLICY_ERROR, f"the policy's decisions take more than the {shown_size(LARGEST)} that are recorded"
        )


def decide_twice(policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decisions:
    """The decisions of a policy that is asked twice in a row, unless it is pure: for what is shown and not recorded.

    Raises CellError: what ``ProgramProblem.decide`` raises, and ``not-replayable``.
    """
    first = program_problem(policy.manifest.problem).decide(policy, frozen, seed, bench).decisions
    if is_asked_again(policy):
        decide_again(policy, frozen, seed, bench, first)
    return first


def decide_again(policy: Policy, frozen: FrozenModule, seed: int, bench: Bench, first: Decisions) -> None:
    """Ask once more. Raises CellError: as ``ProgramProblem.decide``, and ``not-replayable`` for another answer."""
    require_same(first, program_problem(policy.manifest.problem).decide(policy, frozen, seed, bench).decisions)


def require_same(first: Decisions, second: Decisions) -> None:
    """Raise CellError, ``not-replayable``, naming where the second differs."""
    if first.digest == second.digest:
        return
    where = program_problem(first.problem).differing(first, second)
    raise CellError(
        Outcome.NOT_REPLAYABLE,
        f"the policy decides otherwise when it is asked again ({where}): it must depend on the module alone, not on "
        "time, addresses or chance",
    )
