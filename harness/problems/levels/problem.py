"""Problem ``levels``: clang's own plan at one level, on a module frozen at that level. It replaces nothing.

Its policies are the baselines ``O0`` to ``Oz``: what a user of ``clang -O<L>`` gets.
"""

from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan, reference_plan
from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.programs.problems import PureProblem
from harness.sandbox.bench import Bench

__all__ = ["POLICIES"]


class Levels(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {"level": Form(fields=frozenset({"values"}))}

    def check(self, policy: Policy, where: str) -> None:
        """``values.level`` must be one of clang's levels."""
        level = policy.manifest.values.get("level")
        if level not in set(Level):
            known = ", ".join(Level)
            raise UsageError(f"values.level: a policy of form 'level' needs one of {known}, not {level!r}", where=where)

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """Its own level: on a module frozen at -Oz, the other levels' pipelines nearly coincide."""
        return Level(str(policy.manifest.values["level"]))

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The level, and nothing else."""
        return Decided(Decisions("levels", frozen.level))

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """The reference plan. Raises CellError, ``not-replayable``, for decisions of another form."""
        decisions.require(decisions.frozen_at is not None and not decisions.body, "they are a level, and nothing else")
        return reference_plan(decisions.level, target)


POLICIES = Levels()
