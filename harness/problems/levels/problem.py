"""Problem ``levels``: clang's own plan at one level, on a module frozen at that level, perhaps with a flag.

Its policies are the baselines ``O0`` to ``Oz``, what a user of ``clang -O<L>`` gets, and what is free beside them.
"""

from dataclasses import replace
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

__all__ = ["FLAGS", "POLICIES"]

FLAGS = ("-fno-slp-vectorize", "-fno-unroll-loops", "-fno-vectorize")
"""Flags of clang that its plan may have besides: they leave passes of the optimise step out."""


class Levels(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {"level": Form(fields=frozenset({"values"}))}

    def check(self, policy: Policy, where: str) -> None:
        """``values.level`` must be one of clang's levels, ``values.flags`` words of ``FLAGS``."""
        level = policy.manifest.values.get("level")
        if level not in set(Level):
            known = ", ".join(Level)
            raise UsageError(f"values.level: a policy of form 'level' needs one of {known}, not {level!r}", where=where)
        unknown = next((flag for flag in _flags_of(policy) if flag not in FLAGS), None)
        if unknown is not None:
            raise UsageError(f"values.flags: {unknown!r} is none of {', '.join(FLAGS)}", where=where)

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """Its own level: on a module frozen at -Oz, the other levels' pipelines nearly coincide."""
        return Level(str(policy.manifest.values["level"]))

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The level, and its flags where there are any."""
        flags = _flags_of(policy)
        return Decided(Decisions("levels", frozen.level, {"flags": flags} if flags else {}))

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """The reference plan, with the flags. Raises CellError, ``not-replayable``, for decisions of another form."""
        decisions.require(decisions.frozen_at is not None, "they are of a level")
        flags = decisions.body.get("flags", [])
        known = isinstance(flags, list) and all(flag in FLAGS for flag in flags)
        decisions.require(known and set(decisions.body) <= {"flags"}, f"they are flags among {', '.join(FLAGS)}")
        plan = reference_plan(decisions.level, target)
        optimise = replace(plan.optimise, arguments=(*flags, *plan.optimise.arguments))
        return replace(plan, optimise=optimise) if flags else plan


def _flags_of(policy: Policy) -> list[str]:
    return str(policy.manifest.values.get("flags", "")).split()


POLICIES = Levels()
