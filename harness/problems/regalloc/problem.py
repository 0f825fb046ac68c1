"""Problem ``regalloc``: which register allocator the generate step runs; everything else is the track's plan.

Its policies so far are the baselines: LLVM's own allocators.
"""

from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise
from harness.base.errors import UsageError
from harness.base.vocabulary import Target
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.programs.problems import PureProblem
from harness.sandbox.bench import Bench

__all__ = ["ALLOCATORS", "POLICIES"]

ALLOCATORS: dict[str, tuple[str, ...]] = {
    "greedy": ("-regalloc=greedy",),
    "basic": ("-regalloc=basic",),
    "pbqp": ("-regalloc=pbqp",),
    "fast": ("-regalloc=fast",),
    "fast-o0": ("-regalloc=fast", "-optimize-regalloc=false"),
}
"""Allocator → options of LLVM's code generator. ``fast`` has two meanings: the local allocator in the
optimising pipeline, and with that pipeline left out, as -O0 has it."""


class Regalloc(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {"allocator": Form(fields=frozenset({"values"}))}

    def check(self, policy: Policy, where: str) -> None:
        """``values.allocator`` must be one of LLVM's allocators."""
        allocator = policy.manifest.values.get("allocator")
        if allocator not in ALLOCATORS:
            known = ", ".join(ALLOCATORS)
            raise UsageError(
                f"values.allocator: a policy of form 'allocator' needs one of {known}, not {allocator!r}", where=where
            )

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The allocator: the same for every program."""
        body = {"allocator": policy.manifest.values["allocator"]}
        return Decided(Decisions("regalloc", frozen.level, body))

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """clang's plan, with the allocator chosen.

        Raises CellError, ``not-replayable``, for decisions of another form.
        """
        allocator = decisions.body.get("allocator")
        named = decisions.frozen_at is not None and set(decisions.body) == {"allocator"}
        decisions.require(named and isinstance(allocator, str), "they name a level and an allocator")
        decisions.require(allocator in ALLOCATORS, f"LLVM has no allocator {allocator!r}")
        options = ALLOCATORS[str(allocator)]
        return CompilePlan(clang_optimise(decisions.level, target), clang_generate(decisions.level, target, options))


POLICIES = Regalloc()
