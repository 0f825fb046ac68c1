"""What deciding costs: it is measured of every policy, and of zero-shot policies limited, in each form."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, PolicyClass
from harness.policy import Policy, load_policy, problem_of
from harness.problems.inlining.ask import ask
from harness.problems.inlining.price import plain_cpu
from harness.problems.programs import allowance as price
from harness.problems.programs.allowance import Allowance, allowance
from harness.problems.programs.asking import Asked
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import (
    CHEAP_HEURISTIC,
    CHEAP_PYTHON,
    Modules,
    computed,
    heuristic_policy,
    inliner_policy,
)

SPINS = "volatile unsigned long turns = 0; while (1) turns = turns + 1;"
"""In C and C++."""


def zero_shot(policy: Policy) -> Policy:
    """The policy in that class."""
    return replace(policy, manifest=policy.manifest.model_copy(update={"policy_class": PolicyClass.ZERO_SHOT}))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zero-shot has a quarter of a second."""
    monkeypatch.setattr(price, "LEAST_SECONDS", 0.25)
    monkeypatch.setattr(price, "SHARE", 0.0)


ENDLESS = [
    inliner_policy("policy", "import itertools\nfor _ in itertools.count(): pass\ndef decide(f): return True\n"),
    heuristic_policy(f"bool getEvolvableAdvice(CallBase &, PolicyContext &) {{ {SPINS} }}"),
]


@pytest.mark.parametrize("policy", ENDLESS, ids=["policy.py", "heuristic.cpp"])
def test_zero_shot_has_so_much_cpu_time(policy: Policy, modules: Modules, bench: Bench, short: None) -> None:
    with pytest.raises(CellError, match=r"took more than 0\.25 s of CPU time to decide") as raised:
        problem_of(policy.manifest.problem).decide(zero_shot(policy), modules.frozen(), 0, bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_TIMEOUT, True)


def test_so_has_a_model(modules: Modules, bench: Bench) -> None:
    """One that never ends cannot be made of a model or a tree: its program is."""
    policy: Asked = computed(SPINS, bench)
    with pytest.raises(CellError, match=r"made\.c took more than 0\.25 s of CPU time to decide") as raised:
        ask(policy, modules.frozen(), bench, allowance=Allowance(0.25, 0.1))
    assert raised.value.outcome is Outcome.POLICY_TIMEOUT


def test_twice_the_plain_compilation_if_that_is_more() -> None:
    assert allowance(PolicyClass.ZERO_SHOT, 0.1) == Allowance(1.0, 0.1)
    assert allowance(PolicyClass.ZERO_SHOT, 3.0) == Allowance(6.0, 3.0)
    assert allowance(PolicyClass.FIXED, 3.0) == Allowance(6.0, 3.0)
    assert allowance(PolicyClass.SEARCH, 3.0) is None


def searching(policy: Policy, budget: float) -> Policy:
    """The policy in that class, with so many seconds."""
    changes = {"policy_class": PolicyClass.SEARCH, "budget": budget}
    return replace(policy, manifest=policy.manifest.model_copy(update=changes))


@pytest.mark.parametrize("policy", ENDLESS, ids=["policy.py", "heuristic.cpp"])
def test_a_search_has_its_budget(policy: Policy, modules: Modules, bench: Bench) -> None:
    with pytest.raises(CellError, match=r"took more CPU time than the 0\.25 s that its budget gives it") as raised:
        problem_of(policy.manifest.problem).decide(searching(policy, 0.25), modules.frozen(), 0, bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_TIMEOUT, True)


def test_a_search_may_take_longer_than_a_step(modules: Modules, bench: Bench) -> None:
    """The limit is of what compiles, and its budget is beside that."""
    turns = 6_000_000_000  # three seconds of a quick machine: it has no clock to look at
    waits = (
        f"static bool waited = [] {{ for (volatile unsigned long n = 0; n < {turns}; n = n + 1) {{}} return true; }}();"
    )
    policy = heuristic_policy(f"{waits}\nbool getEvolvableAdvice(CallBase &, PolicyContext &) {{ return waited; }}")
    quick = replace(bench, compile_timeout=1.0)
    decided = problem_of(policy.manifest.problem).decide(searching(policy, 60), modules.frozen(), 0, quick)
    assert decided.cpu > 1


def test_it_is_measured_of_every_form(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    policies = [
        heuristic_policy(CHEAP_HEURISTIC),
        inliner_policy("policy", f"sum(range(20_000_000))\n{CHEAP_PYTHON}"),
        load_policy("Oz"),
    ]
    taken = [problem_of(policy.manifest.problem).decide(policy, frozen, 0, bench) for policy in policies]
    assert taken[1].cpu > 0 and taken[1].wall > 0  # more than the plain compilation may seem to take on a busy machine
    assert all(one.cpu >= 0 and one.wall >= 0 for one in taken)
    assert (taken[2].cpu, taken[2].wall) == (0.0, 0.0)
    assert plain_cpu(frozen, bench) > 0


def test_the_decisions_say_nothing_of_it(modules: Modules, bench: Bench, tmp_path: Path) -> None:
    policy = inliner_policy("policy", CHEAP_PYTHON)
    one, other = (problem_of(policy.manifest.problem).decide(policy, modules.frozen(), 0, bench) for _ in range(2))
    assert one.decisions.digest == other.decisions.digest
