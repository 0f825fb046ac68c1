"""What the registry of problems reads: a policy is a list of functions, and the plugin follows it."""

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

__all__ = ["POLICIES"]

_NAME, _ROLE, _FILE = "shrinking", "names", "functions.txt"


class Shrinking(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {"list": Form(_ROLE, "names.txt")}

    def check(self, policy: Policy, where: str) -> None:
        """One file."""
        if set(policy.manifest.files) != {_ROLE}:
            raise UsageError(f'files: one file, {_ROLE} = "names.txt"', where=where)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The functions that the list names: the same for every program."""
        names = policy.contents[_ROLE].decode("ascii", "replace").split()
        return Decided(Decisions(_NAME, frozen.level, {"functions": names}))

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """clang's plan, with the plugin in its first step."""
        names = decisions.body.get("functions")
        decisions.require(isinstance(names, list) and all(isinstance(name, str) for name in names), "no list of names")
        files = ((_FILE, "".join(f"{name}\n" for name in names or [])),)
        first = clang_optimise(decisions.level, target, _NAME, (), files)
        return CompilePlan(first, clang_generate(decisions.level, target))


POLICIES = Shrinking()
