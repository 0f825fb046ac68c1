"""A priority function for each function of the program: the one whose code costs least, by a static model."""

import pytest

from harness.apply import compile_plan
from harness.base.errors import CellError, UsageError
from harness.base.process import account
from harness.base.vocabulary import Level, Outcome
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.policy.manifest import Manifest
from harness.problems.programs.take import Made, costs_of_functions
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.replay import REGALLOC
from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import HERE, TIGHT, Modules, decide, plan_of_body

TRIED = "default constant size small seeded-3"


def choice(functions: str = TRIED, cost: str = "mca.static", **fields: object) -> Policy:
    """A policy that chooses among these."""
    manifest = {
        "name": "made",
        "version": "1",
        "problem": REGALLOC,
        "form": "choice",
        "class": "search",
        "track": "speed",
        "targets": ["x86-64", "aarch64"],
        "authors": ["A. Tester"],
        "licence": "MIT",
        "description": "Made by a test.",
        "budget": 60,
        "deterministic": True,
        "values": {"functions": functions, "cost": cost},
        **fields,
    }
    return Policy(Manifest.model_validate(manifest), HERE, {}, baseline=False)


SUM = "mca.static + 0.5 spills.static + 2 reloads"


def costs(body: dict[str, object], cost: str, frozen: FrozenModule, bench: Bench) -> dict[str, float]:
    """Function → cost, under these decisions."""
    assert frozen.program is not None
    plan = plan_of_body(body, frozen)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    parts = {"mca.static": 1.0, "spills.static": 0.5, "reloads": 2.0} if cost == SUM else {cost: 1.0}
    found = costs_of_functions(made, list(parts), bench)
    functions = {function for metric in found.values() for function in metric}
    return {name: sum(weight * found[metric].get(name, 0) for metric, weight in parts.items()) for name in functions}


@pytest.mark.parametrize("cost", ["mca.static", "reloads", SUM])
def test_each_function_has_the_cheapest_of_all(cost: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    assert frozen.level is Level.O3
    decisions = decide(choice(cost=cost), frozen, bench)
    tried = {name: costs({"priority": name}, cost, frozen, bench) for name in TRIED.split()}
    functions = {name for one in tried.values() for name in one}
    least = {name: min(one.get(name, 0.0) for one in tried.values()) for name in functions}
    found = costs(decisions.body, cost, frozen, bench)
    assert {name: found.get(name, 0.0) for name in functions} == pytest.approx(least)
    chosen = {one.name: one.priority for one in functions_of(decisions.body)}
    assert "default" not in chosen.values() and (chosen or cost == "reloads")


def test_of_equal_ones_the_first_is_kept(modules: Modules, bench: Bench) -> None:
    """What needs no more registers than there are costs the same under all."""
    frozen = modules.frozen()
    assert "nothing" not in {one.name for one in functions_of(decide(choice(), frozen, bench).body)}
    backwards = decide(choice("small default"), frozen, bench)
    assert {one.priority for one in functions_of(backwards.body) if one.name == "main"} == {"small"}


def test_trials_are_what_it_tried(modules: Modules, bench: Bench) -> None:
    policy = choice()
    decided = problem_of(REGALLOC).decide(policy, modules.frozen(), 0, bench)
    assert decided.trials == 5 and decided.cpu > 0


def test_its_budget_ends_it(modules: Modules, bench: Bench) -> None:
    """However many functions a stranger lists."""
    with pytest.raises(CellError, match=r"more than the 0\.001 CPU seconds of its budget") as raised:
        decide(choice(budget=0.001), modules.frozen(), bench)
    assert raised.value.outcome is Outcome.POLICY_TIMEOUT


def test_so_does_judging_that_takes_far_longer(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.problems.regalloc.choice.costs_of_functions", lambda *_: account(101) or {})
    with pytest.raises(CellError, match="judging its functions took more than 5 times its budget") as raised:
        decide(choice(budget=20), modules.frozen(), bench)
    assert raised.value.outcome is Outcome.POLICY_TIMEOUT


def test_a_candidate_that_does_not_compile_is_left_out(modules: Modules, bench: Bench) -> None:
    """LLVM's Basic does not find the registers of one function: the others make do with what there is besides."""
    frozen = modules.made("tight", TIGHT, noinline=("tight",))
    without = decide(choice("small default seeded-3"), frozen, bench)
    decided = problem_of(REGALLOC).decide(choice("basic small default seeded-3"), frozen, 0, bench)
    assert decided.decisions.body == without.body and decided.trials == 4
    with pytest.raises(CellError, match="requires more registers than available") as raised:
        decide(choice("basic"), frozen, bench)
    assert raised.value.outcome is Outcome.COMPILE_ERROR


def test_a_function_that_cannot_be_judged_has_the_first(modules: Modules, bench: Bench) -> None:
    """Of the others the cheapest is kept all the same."""
    before, main, after = (HERE / "pressure.c").read_text().partition("int main(int argc, char **argv) {")
    unmodelled = f'{before}{main} __asm__ volatile(".byte 0x0f, 0x18, 0xe0");{after}'
    noinline = ("mix", "crowded", "floating", "assembled", "nothing")
    tried = choice("constant default size small seeded-3")
    known, found = (
        {one.name: one.priority for one in functions_of(decide(tried, frozen, bench).body)}
        for frozen in (modules.frozen(), modules.made("unmodelled", unmodelled, noinline=noinline))
    )
    assert found.pop("main") == "constant"
    assert found == {name: priority for name, priority in known.items() if name != "main"}
    assert any(found.get(name) != "constant" for name in noinline)


def test_what_may_be_the_machines_fault_is_tried_again(
    modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out, what is decided would depend on the machine."""

    def killed(*_: object) -> None:
        raise CellError(Outcome.COMPILE_TIMEOUT, "llvm-mca: killed by SIGKILL", transient=True)

    monkeypatch.setattr("harness.problems.regalloc.choice.costs_of_functions", killed)
    with pytest.raises(CellError, match="SIGKILL") as raised:
        decide(choice(), modules.frozen(), bench)
    assert raised.value.transient


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"values": {}}, "values.functions: from 1 to"),
        ({"values": {"functions": "default default"}}, "different names"),
        ({"values": {"functions": "default greediest"}}, "'greediest' is none of default"),
        ({"values": {"functions": "default", "cost": "instructions"}}, "values.cost: 'instructions' is none of"),
        ({"values": {"functions": "default", "cost": "spills + spills"}}, "values.cost: spills is twice in"),
        ({"values": {"functions": "default", "cost": "-1 spills"}}, "values.cost: '-1 spills' is none of"),
        ({"values": {"functions": "default", "cost": "0 spills"}}, "values.cost: everything costs nothing"),
        ({"values": {"functions": "default", "cost": "spills +"}}, "values.cost: '' is none of"),
        ({"values": {"functions": "default", "seed": 1}}, "values.seed"),
        ({"class": "zero-shot", "budget": None, "deterministic": False}, "class: a policy of form 'choice'"),
    ],
)
def test_what_means_nothing(fields: dict[str, object], said: str) -> None:
    policy = choice(**fields)
    with pytest.raises(UsageError, match=said):
        problem_of(REGALLOC).check(policy, "submission.toml")
