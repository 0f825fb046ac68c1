"""Problem ``passes``: a list of passes to one ``opt -passes=`` command, however it is chosen."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.vocabulary import Target
from harness.freeze import FrozenModule
from harness.policy.forms.registry import all_forms
from harness.policy.policy import Policy
from harness.problems.passes.agent import Agents
from harness.problems.passes.best import BestKnown
from harness.problems.passes.fixed import FixedList
from harness.problems.passes.listed import AGAIN_DIGEST, OPT_OPTIONS, plan_of_list
from harness.problems.passes.search.decide import Searches
from harness.problems.passes.vetted import table_digest
from harness.problems.passes.way import Way
from harness.problems.programs.problems import PureProblem
from harness.sandbox.bench import Bench

__all__ = ["POLICIES"]

_AGENTS = ("onnx", "python")
"""Forms that an agent can be written in."""
_WAYS: Mapping[str, Way] = {
    "list": FixedList(),
    **dict.fromkeys(_AGENTS, Agents()),
    "search": Searches(),
    "best": BestKnown(),
}
"""Form → how its policies choose."""


class Passes(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {
        "list": FixedList.form,
        **{
            name: replace(all_forms()[name], in_steps=True, fields=all_forms()[name].fields | {"values"})
            for name in _AGENTS
        },
        "search": Searches.form,
        "best": BestKnown.form,
    }

    def check(self, policy: Policy, where: str) -> None:
        """As its form has it."""
        _way(policy).check(policy, where)

    def notes(self, policy: Policy) -> list[str]:
        """As its form has it."""
        return _way(policy).notes(policy)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The list of this module, whoever chooses it."""
        return _way(policy).decide(policy, frozen, seed, bench)

    def parts(self, policy: Policy) -> list[str]:
        """The table of passes: a list that it refuses is another cell than one that it allowed. How opt runs lists, and
        how often. And what is the form's: a table of actions, the session, what turns a file into what is asked.
        """
        return [table_digest(), *OPT_OPTIONS, AGAIN_DIGEST, *_way(policy).parts(policy)]

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """As its form has it."""
        return _way(policy).spaces(policy)

    def differing(self, first: Decisions, second: Decisions) -> str:
        """The first step at which an agent chose otherwise."""
        one, other = (list(decisions.body["passes"]) for decisions in (first, second))
        step = next(
            (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        return f"pass {step + 1}: {_at(one, step)}, then {_at(other, step)}"

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """As for every list, whoever chose it."""
        return plan_of_list(decisions, target)


POLICIES = Passes()


def _way(policy: Policy) -> Way:
    return _WAYS[policy.manifest.form]


def _at(passes: list[str], step: int) -> str:
    return passes[step] if step < len(passes) else "none"
