"""Problem ``regalloc``: what allocates each function's registers, in what order Greedy does, and what it evicts."""

from pathlib import Path
from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.forms.interface import Interface
from harness.policy.forms.registry import all_forms, asked_form, checked_form
from harness.policy.policy import Policy
from harness.problems.programs.asking import Asked
from harness.problems.programs.tracks import FROZEN_AT
from harness.problems.regalloc.ask import about, ask, kept
from harness.problems.regalloc.check import require_faithful
from harness.problems.regalloc.choice import FORM as CHOICE
from harness.problems.regalloc.choice import choice_of, decide_choice
from harness.problems.regalloc.decide import decided
from harness.problems.regalloc.evictions import EVICTION
from harness.problems.regalloc.features import FUNCTION, PRIORITY
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.replay import (
    ALLOCATORS,
    EVICTIONS,
    PLUGIN,
    PRIORITIES,
    REGALLOC,
    is_eviction,
    is_priority,
    replay_plan,
)
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["POLICIES", "QUESTIONS"]

QUESTIONS: dict[str, Interface] = {"priority": PRIORITY, "eviction": EVICTION, "function": FUNCTION}
"""Question → what is asked. The first is the question of a policy that names none."""
_OWN = {name: Form(fields=frozenset({"values"})) for name in ("allocator", "priority", "eviction")}
"""Forms without a file: the name of what LLVM, or the plugin, has."""


class Regalloc:
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {
        **_OWN,
        "choice": CHOICE,
        **all_forms(),
    }

    questions: ClassVar = tuple(QUESTIONS)

    def check(self, policy: Policy, where: str) -> None:
        """``values`` names one of LLVM's allocators or of the plugin's functions; or as its form has it."""
        form, question = policy.manifest.form, policy.manifest.question
        if form not in all_forms() and question:
            raise UsageError(f"question: a policy of form {form!r} is asked nothing", where=where)
        if form == "choice":
            choice_of(policy, where)
            return
        if form not in _OWN:
            checked_form(policy, _interface(policy), where)
            return
        named = policy.manifest.values.get(form)
        names, fits = {
            "allocator": (tuple(ALLOCATORS), named in ALLOCATORS),
            "priority": (PRIORITIES, is_priority(named)),
            "eviction": (EVICTIONS, is_eviction(named)),
        }[form]
        if len(policy.manifest.values) != 1 or not fits:
            known = ", ".join(names)
            given = "" if named is None else f", not {named!r}"
            raise UsageError(f"values.{form}: a policy of form {form!r} needs one of {known}{given}", where=where)

    def interface(self, policy: Policy) -> Interface | None:
        """What its question is about; nothing of policies that name what is there."""
        return _interface(policy) if policy.manifest.form in all_forms() else None

    def tried(self, policy: Policy, frozen: FrozenModule, bench: Bench) -> Path:
        """What the policy's process generated."""
        return kept(ask(_asked(policy, 0, bench), frozen, bench), bench)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What is named; or what the policy says of each live range. ``seed``: given to code that wants it."""
        manifest = policy.manifest
        if manifest.form in _OWN:
            return Decided(Decisions(REGALLOC, frozen.level, {manifest.form: manifest.values[manifest.form]}))
        if manifest.form == "choice":
            return decide_choice(choice_of(policy, policy.name), manifest.budget or 0.0, frozen, bench)
        return decided(_asked(policy, seed, bench), manifest.policy_class, frozen, bench)

    def is_pure(self, policy: Policy) -> bool:
        """One that names an allocator of LLVM's."""
        return policy.manifest.form == "allocator"

    def parts(self, policy: Policy) -> list[str]:
        """The plugin where it has a part, and what turns the file into what it asks."""
        if self.is_pure(policy):
            return []
        asked = asked_form(policy).key_material(_interface(policy)) if policy.manifest.form in all_forms() else []
        return [native_digest(PLUGIN), *asked]

    def notes(self, policy: Policy) -> list[str]:
        """Nothing to remark."""
        return []

    def freeze_level(self, policy: Policy, track: str) -> Level:
        """The track's level."""
        return FROZEN_AT[track]

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """clang's plan, with the allocator, the priorities or the evictions."""
        return replay_plan(decisions, target)

    def differing(self, first: Decisions, second: Decisions) -> str:
        """The first function that was decided otherwise."""
        pairs = zip(functions_of(first.body), functions_of(second.body), strict=False)
        found = next((one for one, other in pairs if one != other), None)
        return f"function {found.name}" if found else "one of them has more"

    def require_ready(self, frozen: FrozenModule, bench: Bench, where: str) -> None:
        """The plugin must be faithful on the module."""
        require_faithful(frozen, bench, where)


def _interface(policy: Policy) -> Interface:
    return QUESTIONS[_question(policy)]


def _question(policy: Policy) -> str:
    return policy.manifest.question or next(iter(QUESTIONS))


def _asked(policy: Policy, seed: int, bench: Bench) -> Asked:
    """The policy as the plugin asks it."""
    return about(_question(policy), asked_form(policy).open(policy, _interface(policy), seed, bench))


POLICIES = Regalloc()
