"""What inlining policies of all forms share: their decisions are call sites, and the plugin follows them."""

from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.policy.policy import Policy
from harness.problems.inlining.check import require_faithful
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import sites_of
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench

__all__ = ["InliningProblem"]


class InliningProblem:
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    def notes(self, policy: Policy) -> list[str]:
        """Nothing to remark."""
        return []

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """The track's level."""
        return FROZEN_AT[track]

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """As for every policy that decides what to inline."""
        return replay_plan(decisions, target)

    def differing(self, first: Decisions, second: Decisions) -> str:
        """The first call site that was decided otherwise."""
        pairs = zip(sites_of(first.body), sites_of(second.body), strict=False)
        number, site = next(((n, one) for n, (one, other) in enumerate(pairs) if one != other), (None, None))
        return f"call site {number}, {site.callee} in {site.caller}" if site else "one of them has more"

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """The plugin must be faithful on the module."""
        require_faithful(frozen, bench, where)
