"""Problem ``inlining``, in all its forms: decisions are call sites, and the plugin follows them."""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.vocabulary import Level, PolicyClass, Target
from harness.freeze import FrozenModule
from harness.policy.forms.interface import Interface
from harness.policy.forms.registry import all_forms, asked_form, checked_form
from harness.policy.policy import Policy
from harness.problems.inlining.ask import QUESTIONS, TRIED, about, ask
from harness.problems.inlining.best import BEST, BestKnown
from harness.problems.inlining.check import require_faithful
from harness.problems.inlining.decide import decided, generated
from harness.problems.inlining.features import INTERFACE
from harness.problems.inlining.price import plain_cpu
from harness.problems.inlining.replay import PLUGIN, RULES, replay_plan
from harness.problems.inlining.search.decide import SEARCH, Searches
from harness.problems.inlining.sites import sites_of
from harness.problems.programs.allowance import allowance
from harness.problems.programs.asking import Asked, asked_as
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["POLICIES"]


class Inlining:
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {
        **{name: form for name, form in all_forms().items() if form.supports(INTERFACE) is None},
        BEST: BestKnown.form,
        SEARCH: Searches.form,
    }

    questions: ClassVar = QUESTIONS

    def check(self, policy: Policy, where: str) -> None:
        """As its form has it."""
        if policy.manifest.form == BEST:
            _best.check(policy, where)
        elif policy.manifest.form == SEARCH:
            _searches.check(policy, where)
        else:
            checked_form(policy, INTERFACE, where)

    def interface(self, policy: Policy) -> Interface:
        """A call site, and whether to inline it."""
        return INTERFACE

    def tried(self, policy: Policy, frozen: FrozenModule, bench: Bench) -> Path:
        """What clang generates of the module that the policy's process wrote."""
        answer = ask(_asked(policy, 0, bench), frozen, bench)
        return generated(answer, frozen, bench)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it decides of each call site. ``seed``: given to code that wants it."""
        if policy.manifest.form == BEST:
            return _best.decide(policy, frozen, bench)
        if policy.manifest.form == SEARCH:
            return _searches.decide(policy, frozen, seed, bench)
        how = _asked(policy, seed, bench)
        manifest = policy.manifest
        most = allowance(manifest.policy_class, plain_cpu(frozen, bench), manifest.budget)
        return decided(lambda: ask(how, frozen, bench, allowance=most), frozen, bench)

    def parts(self, policy: Policy) -> list[str]:
        """The plugin, and what turns the file into what it asks."""
        ways = [native_digest(PLUGIN), *RULES, *about(policy.manifest.question)]
        if policy.manifest.form == BEST:
            return ways
        if policy.manifest.form == SEARCH:
            return [*ways, *_searches.parts()]
        return [*ways, *_trials(policy), *asked_form(policy).key_material(INTERFACE)]

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


_best = BestKnown()
_searches = Searches()


def _asked(policy: Policy, seed: int, bench: Bench) -> Asked:
    """The policy as the plugin asks it."""
    decider = asked_as(asked_form(policy).open(policy, INTERFACE, seed, bench))
    return replace(decider, options=(*about(policy.manifest.question), *_trials(policy)))


def _trials(policy: Policy) -> tuple[str, ...]:
    """The plugin's options that allow them."""
    return TRIED if policy.manifest.policy_class is PolicyClass.SEARCH else ()


POLICIES = Inlining()
