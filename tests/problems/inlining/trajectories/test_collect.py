"""Features taken by following decisions are those that were there when the policy was asked."""

import struct

import pytest

from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.problems.inlining.ask import DEFAULT, ask
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.inlining.sites import Who, sites_of
from harness.problems.inlining.trajectories.collect import trajectory
from harness.problems.programs.asking import Asked
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import (
    CHEAP_HEURISTIC,
    Modules,
    alternating,
    always,
    asked_of,
    heuristic_policy,
    never,
)

WHERE = [
    ("calls", Target.X86_64, Level.OZ),
    ("calls", Target.AARCH64, Level.O3),
    ("throws", Target.X86_64, Level.O3),
    ("throws", Target.AARCH64, Level.OZ),
]


def cheap(bench: Bench) -> Asked:
    """A heuristic in C++."""
    policy = heuristic_policy(CHEAP_HEURISTIC)
    return asked_of(policy, bench)


POLICIES = {"default": lambda _: DEFAULT, "cheap": cheap, "alternating": alternating, "always": always, "never": never}


def require_equal(policy: Asked, frozen: FrozenModule, bench: Bench) -> Decisions:
    """What is seen when the decisions are followed is what was seen when they were taken."""
    answer = ask(policy, frozen, bench, features=True)
    rows = list(struct.iter_unpack(f"={len(STATIC_FEATURES) + 3}q", answer.features))
    decisions = Decisions("inlining", frozen.level, answer.body)
    visits = trajectory(decisions, frozen, bench)
    assert [(v.position, *v.features, int(v.inline), int(v.default)) for v in visits] == rows
    sites = sites_of(answer.body)
    decided = [place for place, site in enumerate(sites) if site.who in (Who.POLICY, Who.REPLACED)]
    assert [visit.position for visit in visits] == decided and decided
    for visit in visits:
        assert visit.site == sites[visit.position] and visit.inline == visit.site.inline
        assert len(visit.features) == len(STATIC_FEATURES)
    return decisions


@pytest.mark.parametrize(("program", "target", "level"), WHERE)
@pytest.mark.parametrize("name", POLICIES)
def test_followed_as_asked(
    name: str, program: str, target: Target, level: Level, modules: Modules, bench: Bench
) -> None:
    frozen = modules.frozen(program, target, level)
    decisions = require_equal(POLICIES[name](bench), frozen, bench)
    visits = trajectory(decisions, frozen, bench)
    if name == "default":
        assert decisions.body == default_decisions(frozen, bench).body
        assert all(visit.inline == visit.default for visit in visits)
    else:
        assert {visit.inline for visit in visits} == {"always": {True}, "never": {False}}.get(name, {True, False})
    if name in ("never", "alternating"):
        assert any(visit.inline != visit.default for visit in visits)


def test_rules_and_the_cap_decide_some_that_are_left_out(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    decisions = default_decisions(frozen, bench)
    left = [site.who for site in sites_of(decisions.body) if site.who not in (Who.POLICY, Who.REPLACED)]
    assert {Who.MANDATORY, Who.ILLEGAL} <= set(left)
    assert len(trajectory(decisions, frozen, bench)) == len(decisions.body["sites"]) - len(left)


def test_another_modules_decisions_are_not_replayable(modules: Modules, bench: Bench) -> None:
    calls, throws = modules.frozen("calls"), modules.frozen("throws")
    for decisions, frozen in (
        (default_decisions(calls, bench), throws),
        (default_decisions(throws, bench), calls),
        (Decisions("inlining", Level.OZ, {"functions": [], "sites": []}), calls),
    ):
        with pytest.raises(CellError) as raised:
            trajectory(decisions, frozen, bench)
        assert raised.value.outcome is Outcome.NOT_REPLAYABLE and not raised.value.transient
