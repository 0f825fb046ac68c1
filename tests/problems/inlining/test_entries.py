"""Inlining policies that others are measured by: constant ones, LLVM's numbers laid open, Magellan's rules."""

from dataclasses import replace

import pytest

from harness.base.vocabulary import Level, PolicyClass, Target
from harness.policy import Policy, load_policy
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.problem import POLICIES
from harness.problems.inlining.sites import Who, sites_of
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import Modules

KINDS = """#include <stdio.h>
static int wide(int x) { BODY return x; }
static int narrow(int x) { return x ^ 5; }
static int once(int x) { printf("%d", x); SAID return x / 3; }
int main(int argc, char **argv) {
  int all = 0;
  for (int i = 0; i < argc; i++) all += wide(argc + i) + narrow(i);
  return all + wide(argc * 3) + narrow(argc) + once(all);
}
""".replace("BODY", " ".join(f'if (x % {n}) puts("{n}"); x += x * {n};' for n in range(2, 14))).replace(
    "SAID", " ".join(f'puts("said {n}");' for n in range(8))
)
"""A function with two calls that is large, one that is tiny, and one with a single use that is neither."""


def having(name: str, **values: int | float) -> Policy:
    """The policy with some of its numbers changed."""
    policy = load_policy(name)
    return replace(policy, manifest=policy.manifest.model_copy(update={"values": {**policy.manifest.values, **values}}))


def asked(policy: Policy, modules: Modules, bench: Bench, level: Level = Level.OZ) -> dict[str, set[bool]]:
    """Callee → what was decided of its calls, where the policy decided."""
    frozen = modules.made("kinds", KINDS, level)
    found: dict[str, set[bool]] = {}
    for site in sites_of(POLICIES.decide(policy, frozen, 0, bench).decisions.body):
        if site.who is Who.POLICY:
            found.setdefault(site.callee, set()).add(site.inline)
    return found


@pytest.mark.parametrize(("name", "level"), [("tuned-thresholds", Level.OZ), ("tuned-thresholds-speed", Level.O3)])
@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("module", ["calls", "throws"])
def test_llvms_numbers_give_llvms_decisions(
    name: str, level: Level, target: Target, module: str, modules: Modules, bench: Bench
) -> None:
    """What is tuned begins where LLVM is: as the file declares its numbers, not one call is decided otherwise."""
    policy = load_policy(name)
    plain = replace(policy, manifest=policy.manifest.model_copy(update={"values": {}}))
    frozen = modules.frozen(module, target, level)
    decided = POLICIES.decide(plain, frozen, 0, bench).decisions
    assert decided.body == default_decisions(frozen, bench).body
    assert any(site.who is Who.POLICY for site in sites_of(decided.body))


def test_each_of_llvms_numbers_matters(modules: Modules, bench: Bench) -> None:
    name = "tuned-thresholds"
    llvms = {"threshold": 5, "only_call_bonus": 4.176091259, "call_penalty": 25, "loop_penalty": 25}
    plain = asked(having(name, **llvms), modules, bench)
    assert plain == {"wide": {False}, "narrow": {True}, "once": {True}}
    assert asked(having(name, **llvms | {"only_call_bonus": 0.0}), modules, bench)["once"] == {False}
    assert asked(having(name, **llvms | {"threshold": 60}), modules, bench)["wide"] == {False}
    assert asked(having(name, **llvms | {"threshold": 60, "call_penalty": 0}), modules, bench)["wide"] == {True}


def test_constant_ones(modules: Modules, bench: Bench) -> None:
    for name, answer in {"inline-never": False, "inline-always": True}.items():
        policy = load_policy(name)
        assert policy.baseline and policy.manifest.policy_class is PolicyClass.FIXED
        assert set().union(*asked(policy, modules, bench).values()) == {answer}


def test_magellans_rules_for_size(modules: Modules, bench: Bench) -> None:
    name = "magellan-size"
    assert asked(load_policy(name), modules, bench) == {"wide": {False}, "narrow": {True}, "once": {True}}
    assert asked(having(name, single_use=10, last_use=0), modules, bench)["once"] == {False}
    assert asked(having(name, for_argument=30, budget=100, heavy=1, medium=1), modules, bench)["wide"] == {True}


def test_a_budget_ends_at_zero(modules: Modules, bench: Bench) -> None:
    """Where an unsigned difference would wrap, and inline whatever it meets."""
    least = {"tiny": 0, "single_use": 10, "no_memory": 10, "read_only": 10, "last_use": 0}
    none = {"budget": 0, "for_size": 60, "for_constant": 0, "for_argument": 0}
    found = asked(having("magellan-size", **least, **none), modules, bench)
    assert found["wide"] == found["once"] == {False}


def test_magellans_rules_for_speed(modules: Modules, bench: Bench) -> None:
    name = "magellan-speed"
    assert asked(load_policy(name), modules, bench, level=Level.O3)["wide"] == {True}, "hot, and below ten times 200"
    cold = having(name, hot_times=1, budget=10, for_loop=0, for_constant=0)
    assert asked(cold, modules, bench, level=Level.O3) == {"wide": {False}, "narrow": {True}, "once": {False}}
    assert asked(having(name, hot_times=1, budget=10, for_loop=100, call_cost=1), modules, bench, level=Level.O3)[
        "wide"
    ] == {False, True}, "the call in the loop alone"


@pytest.mark.parametrize("name", ["magellan-size"])
def test_tuned_ones_have_the_same_rules(name: str) -> None:
    plain, tuned = load_policy(name), load_policy(f"{name}-tuned")
    assert plain.contents == tuned.contents and not plain.manifest.values
    assert {*tuned.manifest.trained_on} == {"cbench:train", "mibench:train", "spec-like:train"}
