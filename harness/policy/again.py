"""Asking a policy once more: one that runs code of its own must decide alike whenever it is asked."""

from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.policy.kinds import kind_of
from harness.policy.policy import Policy
from harness.problems.inlining.sites import sites_of
from harness.sandbox.bench import Bench

__all__ = ["decide_again", "decide_twice", "require_same"]


def decide_twice(policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decisions:
    """The decisions of a policy that is asked twice in a row, unless it is pure: for what is shown and not recorded.

    Raises CellError: what ``Kind.decide`` raises, and ``not-replayable``.
    """
    kind = kind_of(policy.manifest.kind)
    first = kind.decide(policy, frozen, seed, bench).decisions
    if not kind.is_pure(policy):
        decide_again(policy, frozen, seed, bench, first)
    return first


def decide_again(policy: Policy, frozen: FrozenModule, seed: int, bench: Bench, first: Decisions) -> None:
    """Ask once more. Raises CellError: what ``Kind.decide`` raises, and ``not-replayable`` for another answer."""
    require_same(first, kind_of(policy.manifest.kind).decide(policy, frozen, seed, bench).decisions)


def require_same(first: Decisions, second: Decisions) -> None:
    """Raise CellError, ``not-replayable``, naming the first call site that was decided otherwise."""
    if first.digest == second.digest:
        return
    pairs = zip(sites_of(first.body), sites_of(second.body), strict=False)
    number, differing = next(((n, one) for n, (one, other) in enumerate(pairs) if one != other), (None, None))
    where = f"call site {number}, {differing.callee} in {differing.caller}" if differing else "one of them has more"
    raise CellError(
        Outcome.NOT_REPLAYABLE,
        f"the policy decides otherwise when it is asked again ({where}): it must depend on the module alone, not on "
        "time, addresses or chance",
    )
