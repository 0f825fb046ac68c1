"""Features and outcomes taken by following decisions: what a policy was told, and what LLVM did with its answers."""

import re
from dataclasses import replace
from typing import Any

import pytest

from harness.apply import compile_plan
from harness.apply.compile import optimise
from harness.apply.decisions import Decisions
from harness.apply.plan import reference_plan
from harness.base.errors import CellError
from harness.base.process import Limits, run
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.policy.forms.interface import Interface
from harness.policy.forms.registry import asked_form
from harness.problems.programs.take import Made, costs_of_functions
from harness.problems.regalloc.ask import about, asking
from harness.problems.regalloc.evictions import EVICTION, SLOT_FEATURES
from harness.problems.regalloc.features import FUNCTION, PRIORITY
from harness.problems.regalloc.replay import ALLOCATIONS, REGALLOC
from harness.problems.regalloc.trajectories.collect import OUTCOMES, Allocated, parsed, trajectory
from harness.problems.regalloc.trajectories.run import judged
from harness.problems.regalloc.trajectories.table import local_reward
from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import (
    Modules,
    asking_of,
    decide,
    plan_of_body,
    priority_policy,
    python_policy,
    shown_to,
)

ON_TARGETS = pytest.mark.parametrize("target", list(Target))
GREEDY = {"allocator": "greedy"}
CONSTANT = {"priority": "constant"}
FALLING = "1e6 - features['li_size']"
"""The priority of a live range: not Greedy's own."""
REFUSING = "32 if features['mask'][32] else features['default_slot']"
"""Which register is freed: none where that is allowed."""
BY_CALLS = "1 if features['calls'] else 3"
"""What allocates a function: Basic, or Greedy with constant priorities."""


def followed(body: dict[str, Any], frozen: FrozenModule, bench: Bench) -> list[Allocated]:
    """What is seen when these decisions are followed."""
    return trajectory(Decisions(REGALLOC, frozen.level, body), frozen, bench)


def decided(answer: str, question: str, frozen: FrozenModule, bench: Bench) -> list[Allocated]:
    """The same of what a policy in Python decides that answers so."""
    policy = asking_of(question, python_policy(f"def decide(features):\n    return {answer}\n"))
    return trajectory(decide(policy, frozen, bench), frozen, bench)


def named(features: tuple[int | float, ...], interface: Interface) -> dict[str, Any]:
    """By their names."""
    return dict(zip((tensor.name for tensor in interface.features), features, strict=True))


@ON_TARGETS
def test_live_ranges_are_seen_as_the_policy_saw_them(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    told = shown_to(FALLING, PRIORITY, frozen, bench)
    functions = decided(FALLING, "priority", frozen, bench)
    questions = [asked for function in functions for asked in function.questions]
    assert [named(asked.features, PRIORITY) for asked in questions] == told and len(told) > 100
    assert [asked.priority for asked in questions] == [10**6 - one["li_size"] for one in told]
    for function in functions:
        assert [asked.step for asked in function.questions] == list(range(len(function.questions)))
        assert function.allocation == ("listed" if function.questions else "default")


@ON_TARGETS
def test_functions_are_seen_as_the_policy_saw_them(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    told = shown_to(BY_CALLS, FUNCTION, frozen, bench)
    functions = decided(BY_CALLS, "function", frozen, bench)
    assert [named(one.features, FUNCTION) for one in functions] == told
    assert [one.allocation for one in functions] == [ALLOCATIONS[1 if one["calls"] else 3] for one in told]
    assert {one.allocation for one in functions} == {"basic", "constant"}
    for one in functions:
        assert {asked.priority for asked in one.questions} <= {0}
        assert not (one.questions and one.allocation == "basic"), "Basic asks nobody"


@ON_TARGETS
def test_evictions_are_seen_as_the_policy_saw_them(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    told = shown_to(REFUSING, EVICTION, frozen, bench)
    questions = [asked for one in decided(REFUSING, "eviction", frozen, bench) for asked in one.evictions]
    assert len(questions) == len(told) > 50
    assert any(asked.slot != asked.default for asked in questions)
    for asked, one in zip(questions, told, strict=True):
        assert [slot.slot for slot in asked.slots] == [at for at, legal in enumerate(one["mask"]) if legal]
        for slot in asked.slots:
            own = [one[tensor.name][slot.slot] for tensor in SLOT_FEATURES]
            assert slot.features == pytest.approx(own, rel=0, abs=0, nan_ok=True)
        assert (asked.default, asked.progress) == (one["default_slot"], one["progress"])
        assert asked.slot == (32 if one["mask"][32] else asked.default)


@ON_TARGETS
def test_greedys_own_evictions_are_seen_too(target: Target, modules: Modules, bench: Bench) -> None:
    """Whatever was decided besides, in the order in which they were asked about."""
    frozen = modules.frozen(target=target)
    for functions in (followed(GREEDY, frozen, bench), decided(FALLING, "priority", frozen, bench)):
        (crowded,) = (one for one in functions if one.name == "crowded")
        assert len(crowded.evictions) > 20
        for step, asked in enumerate(crowded.evictions):
            assert asked.step == step and asked.slot == asked.default
            assert asked.default in {slot.slot for slot in asked.slots}
        assert {asked.register for asked in crowded.evictions} <= {asked.register for asked in crowded.questions}
    (basic,) = {one.evictions for one in followed({"allocator": "basic"}, frozen, bench)}
    assert basic == ()


SIZE = "double getPriority(const LiveInterval &LI, PriorityContext &) { return LI.getSize(); }"
SOURCES = {
    "heuristic": priority_policy(SIZE),
    "channel": python_policy("def decide(features):\n    return features['li_size']\n"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_written_while_the_policy_decides(source: str, modules: Modules, bench: Bench) -> None:
    """In its own process, too: the same as later, but for evictions where the compiler is confined."""
    frozen, policy = modules.frozen(), SOURCES[source]
    step = asking(frozen, bench)
    options = (*step.options, "-regalloc-policy-features=features.txt")
    step = replace(step, options=options, results=(*step.results, "features.txt"))
    told = step.ask(about("priority", asked_form(policy).open(policy, PRIORITY, 0, bench)), bench)
    seen = parsed(told.results["features.txt"].decode("ascii"))
    later = trajectory(decide(policy, frozen, bench), frozen, bench)
    assert any(one.questions for one in seen) and {one.allocation for one in seen} == {"listed"}
    assert all(one.evictions for one in seen if one.name == "crowded") == (source == "channel")
    confined = {} if source == "channel" else {"evictions": ()}
    assert seen == [replace(one, allocation="listed", **confined) for one in later]


@ON_TARGETS
def test_what_is_spilled_is_what_llvm_spills(target: Target, modules: Modules, bench: Bench) -> None:
    """A function has spills or reloads where a live range of it is said to be spilled, and only there."""
    frozen = modules.frozen(target=target)
    for body in (GREEDY, CONSTANT):
        memory = [costs(body, metric, frozen, bench) for metric in ("spills", "reloads")]
        functions = followed(body, frozen, bench)
        for one in functions:
            outcomes = {asked.register: asked.outcome for asked in one.questions}
            assert set(outcomes.values()) <= set(OUTCOMES)
            assert ("spilled" in outcomes.values()) == any(metric.get(one.name, 0) for metric in memory)
            for asked in one.questions:
                assert asked.outcome == outcomes[asked.register]
        (crowded,) = (one for one in functions if one.name == "crowded")
        assert {asked.outcome for asked in crowded.questions} == set(OUTCOMES)


@ON_TARGETS
def test_what_was_split_is_not_spilled_itself(target: Target, modules: Modules, bench: Bench) -> None:
    """LLVM has one place on the stack for all that comes of a live range. So where pieces were spilled, fewer were
    spilled whole than there are places; where none was, each has its own."""
    frozen = modules.frozen(target=target)
    listed = listed_after_greedy(frozen, bench)
    places = {name: head.count("type: spill-slot") for name, (head, _) in listed.items()}
    functions = {one.name: one for one in followed(GREEDY, frozen, bench)}
    assert set(places) == set(functions) and places["crowded"]
    for name, one in functions.items():
        spilled = {asked.register: asked for asked in one.questions if asked.outcome == "spilled"}.values()
        whole = sum(not named(asked.features, PRIORITY)["is_split"] for asked in spilled)
        assert whole < places[name] if whole < len(spilled) else whole == places[name]


@ON_TARGETS
def test_what_the_code_still_names_is_assigned(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    codes = {name: code for name, (_, code) in listed_after_greedy(frozen, bench).items()}
    for one in followed(GREEDY, frozen, bench):
        code = {int(register) for register in re.findall(r"%(\d+)\b", codes[one.name])}
        assigned = {asked.register: asked for asked in one.questions if asked.outcome == "assigned"}
        assert code <= set(assigned)
        for register in set(assigned) - code:  # for a store that LLVM found superfluous at the end
            assert not named(assigned[register].features, PRIORITY)["is_spillable"]


def listed_after_greedy(frozen: FrozenModule, bench: Bench) -> dict[str, tuple[str, str]]:
    """Function → what llc's text has of its registers and places on the stack, and its code, in which virtual registers
    are still named."""
    bitcode = optimise(frozen, reference_plan(frozen.level, frozen.target), bench).bitcode
    words = ["-O3", "-relocation-model=pic", "-stop-before=virtregrewriter", "-o", "-", str(bitcode)]
    done = run([bench.toolchain.tool("llc"), *words], cwd=bitcode.parent, limits=Limits(wall=120, cpu=60))
    assert done.ok, done.stderr
    parts = [text.partition("\nbody: ") for text in done.stdout.decode().split("\n---\nname: ")[1:]]
    return {head.split()[0]: (head, code) for head, _, code in parts}


def costs(body: dict[str, Any], metric: str, frozen: FrozenModule, bench: Bench) -> dict[str, float]:
    """Function → cost."""
    assert frozen.program is not None
    plan = plan_of_body(body, frozen)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    return dict(costs_of_functions(made, [metric], bench)[metric])


@ON_TARGETS
def test_rewards(target: Target, modules: Modules, bench: Bench) -> None:
    """Of a live range: positive where it has a register. Of a function: what Greedy's code costs more."""
    frozen = modules.frozen(target=target)
    greedy, own = (costs(body, "mca.static", frozen, bench) for body in (GREEDY, CONSTANT))
    functions = judged(Decisions(REGALLOC, frozen.level, CONSTANT), frozen, bench)
    found: dict[str, set[str]] = {outcome: set() for outcome in OUTCOMES}
    for function in functions:
        name = function.seen.name
        assert function.reward == pytest.approx(1 - own[name] / greedy[name])
        for asked in function.seen.questions:
            features, reward = named(asked.features, PRIORITY), local_reward(asked)
            if not features["is_spillable"]:
                assert reward is None
            else:
                assert reward in (features["weight"], -features["weight"], 0)
                found[asked.outcome].add("none" if not reward else "gain" if reward > 0 else "loss")
    assert found["spilled"] == {"loss"} and found["split"] == {"none"} and found["assigned"] == {"gain"}
    assert next(one.reward for one in functions if one.seen.name == "crowded") != 0
    assert {one.reward for one in judged(Decisions(REGALLOC, frozen.level, GREEDY), frozen, bench)} == {0.0}


def test_allocators_of_llvms(modules: Modules, bench: Bench) -> None:
    """Those that the plugin has are followed in it; those that it does not have tell nothing."""
    frozen = modules.frozen()
    for name, allocation in (("greedy", "default"), ("pbqp", "pbqp")):
        functions = followed({"allocator": name}, frozen, bench)
        assert {one.allocation for one in functions} == {allocation} and len(functions) == 6
        assert any(one.questions for one in functions) == (name == "greedy")
    assert followed({"allocator": "fast"}, frozen, bench) == []


def test_evictions_of_a_policy_are_followed_too(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    functions = {one.name: one for one in followed({"eviction": "refuse"}, frozen, bench)}
    greedy = {one.name: one for one in followed(GREEDY, frozen, bench)}
    assert functions["crowded"].questions != greedy["crowded"].questions
    assert functions["main"].questions == greedy["main"].questions


def test_decisions_about_another_module(modules: Modules, bench: Bench) -> None:
    body = {"functions": [["main", "1", "constant", "0", []]]}
    with pytest.raises(CellError) as raised:
        trajectory(Decisions(REGALLOC, Level.O3, body), modules.frozen(), bench)
    assert raised.value.outcome is Outcome.NOT_REPLAYABLE
