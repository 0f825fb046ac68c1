"""Priorities that are learnt: what weights are worth, which are found, and that the network says the same."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.paths import SUBMISSIONS
from harness.learn.priorities import judged as judged_module
from harness.learn.priorities.judge import AS_IT_WAS, cost_of, hot_of, operations
from harness.learn.priorities.judged import Judged, train_programs
from harness.learn.priorities.network import network, weights_in
from harness.learn.priorities.scorer import NAMES, Weights, asked_with
from harness.learn.priorities.search import Judge, climbed, folds, left_out, merit, moves
from harness.policy.forms.registry import asked_form
from harness.policy.load import load_policy
from harness.problems.programs.take import Made, take_metrics
from harness.problems.regalloc.ask import DEFAULT, about, ask, known
from harness.problems.regalloc.features import PRIORITY, RANGE_FEATURES
from harness.problems.regalloc.replay import REGALLOC, everywhere, replay_plan
from harness.problems.regalloc.trajectories.collect import trajectory
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.problems.inlining.made import policy_of
from tests.problems.regalloc.made import Modules

ZERO = np.zeros(len(NAMES))
EVERY = np.random.default_rng(3).normal(0, 1, len(NAMES))
"""Weights of which none is 0."""


@pytest.fixture(scope="module")
def modules(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Modules:
    """The made programs."""
    return Modules(tmp_path_factory.mktemp("modules"), bench)


def peaked(peaks: Sequence[tuple[str, float]], others: float = -1.0) -> Judge:
    """Of each program, a gain of a tenth of what its weight of this name is near its peak, less for other weights."""

    def judge(weights: Weights, programs: Sequence[str]) -> list[float]:
        gains = []
        for program in programs:
            name, peak = peaks[int(program)]
            place = NAMES.index(name)
            rest = np.delete(weights, place)
            gains.append((abs(peak) - abs(weights[place] - peak) + others * np.abs(rest).sum()) / 10)
        return gains

    return judge


def test_moves_change_one_weight_each_of_far_live_ranges() -> None:
    found = np.array(moves(EVERY, 0.5)) - EVERY
    assert (np.count_nonzero(found, axis=1) == 1).all() and len(found) == len(NAMES)
    assert {float(round(one, 9)) for one in found[found != 0]} == {0.5, -0.5}
    assert {NAMES[place] for place in np.nonzero(found)[1]} == {name for name in NAMES if name.startswith("far_")}


def test_a_loss_counts_twice_and_a_cluster_once() -> None:
    gains = np.array([0.04, -0.01, 0.0, 0.0])
    assert merit(gains, "abcd") == pytest.approx((0.04 - 0.02) / 4)
    assert merit(gains, "abcd", 0) == pytest.approx((0.04 - 0.01) / 4)
    assert merit(gains, "aaab", 0) == pytest.approx((0.04 - 0.01) / 3 / 2)


def test_it_climbs_by_the_best_moves() -> None:
    judge = peaked([("far_calls", -1.5)] * 2)
    expected = ZERO.copy()
    for rounds, weight in enumerate((0.0, -1.0, -1.5)):
        expected[NAMES.index("far_calls")] = weight
        assert (climbed(["0", "1"], "ab", rounds, judge) == expected).all()


def test_a_move_that_is_no_better_is_not_taken() -> None:
    assert (climbed(["0"], "a", 1, peaked([("far_calls", 0.4)])) == 0).all()
    assert climbed(["0"], "a", 1, peaked([("far_calls", 0.6)]))[NAMES.index("far_calls")] == 1
    # What the first round found is kept where the second finds nothing.
    assert climbed(["0"], "a", 2, peaked([("far_calls", 1.0)]))[NAMES.index("far_calls")] == 1


def test_programs_have_no_say_in_what_they_are_judged_by() -> None:
    assert folds("aabcad", 2) == [[0, 1, 3, 4], [2, 5]]
    # One is best with more of size, the others with more of calls.
    judge = peaked([("far_size", 1.0), ("far_calls", 1.0), ("far_calls", 1.0)], others=0.0)
    assert left_out(["0", "1", "2"], "abc", 0, 3, judge).tolist() == [0.0, 0.0, 0.0]
    assert left_out(["0", "1", "2"], "abc", 1, 3, judge)[0] == pytest.approx(0.0)
    # Without one of the others, what remains is a size and a calls: the first move of equal ones.
    assert left_out(["0", "1", "2"], "abc", 1, 3, judge)[1:] == pytest.approx([0.0, 0.0])
    alike = peaked([("far_calls", 1.0)] * 3)
    assert left_out(["0", "1", "2"], "abc", 1, 3, alike) == pytest.approx([0.1] * 3)
    # The first two share code: neither is judged by what the other one wants.
    assert left_out(["0", "1", "2"], "aab", 1, 2, peaked([("far_size", 1.0)] * 2 + [("far_calls", 1.0)], 0.0)) == (
        pytest.approx([0.0, 0.0, 0.0])
    )


def test_train_programs_are_of_train_splits_each_once() -> None:
    programs = train_programs(["cbench", "mibench"])
    splits = {one.id: one.benchmark.split.value for name in ("cbench", "mibench") for one in load_suite(name).programs}
    assert {splits[name] for name in programs} == {"train"}
    assert {"cbench/bzip2", "mibench/basicmath"} <= set(programs) and "mibench/qsort" not in programs
    assert "mibench/qsort" in train_programs(["mibench"])


def test_weights_of_zero_are_greedy(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    own = ask(asked_with(ZERO, bench), frozen, bench)
    assert own.object == ask(DEFAULT, frozen, bench).object


def test_a_priority_is_greedys_own_and_the_correction(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    body = ask(asked_with(EVERY, bench), frozen, bench).body
    seen = [
        one for each in trajectory(Decisions(REGALLOC, frozen.level, body), frozen, bench) for one in each.questions
    ]
    sorts = set()
    for one in seen:
        is_ = dict(zip((tensor.name for tensor in RANGE_FEATURES), one.features, strict=True))
        length = 1 + is_["function_size"]
        columns = [
            1,
            math.log2(1 + is_["li_size"]) / 16,
            math.log2(1 + min(is_["weight"], 1e6) * 1e6) / 32,
            *(math.log2(1 + is_[name]) / 8 for name in ("operands", "calls", "segments", "values")),
            1 - is_["is_spillable"],
            is_["is_split"],
            is_["has_hint"],
            is_["stage"] == 2,
            is_["begin"] / length,
            is_["end"] / length,
        ]
        weights = EVERY[len(columns) :] if is_["is_local"] else EVERY[: len(columns)]
        before, size = divmod(is_["default_priority"], 1 << 24)
        expected = (before / 32 + weights @ np.array(columns, float) + 24) * 2**26 + size
        assert abs(one.priority - expected) <= 1
        sorts.add((bool(is_["is_local"]), bool(is_["is_split"]), bool(is_["has_hint"])))
    assert len(sorts) > 4


@pytest.mark.parametrize("sign", [1, -1])
def test_its_network_says_the_same(sign: int, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    weights = sign * EVERY
    content = network(weights)
    assert content == network(weights) and len(content) < 4096
    assert weights_in(content) == pytest.approx(weights)
    policy = policy_of(REGALLOC, "onnx", "model", "model.onnx", content)
    asked = about("priority", asked_form(policy).open(policy, PRIORITY, 0, bench))
    body = ask(asked, frozen, bench).body
    assert body == ask(asked_with(weights, bench), frozen, bench).body
    assert body != ask(asked_with(-weights, bench), frozen, bench).body and body["functions"]


@pytest.mark.parametrize("name", NAMES)
def test_each_weight_counts_in_both(name: str) -> None:
    """A network in which one weight is another has other numbers, in its own place."""
    weights = ZERO.copy()
    weights[NAMES.index(name)] = 1.5
    assert (weights_in(network(weights)) == weights).all()


@pytest.mark.parametrize("function", ["default", "weight", "small"])
def test_what_is_judged_is_what_is_executed(function: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    assert frozen.program is not None
    hot = hot_of(frozen, bench)
    assert "crowded" in hot.executions
    judged = sum(cost_of(hot, known(function), bench).values()) + hot.other
    plan = replay_plan(everywhere(function, frozen.level), frozen.target)
    words = plan.generate.arguments
    as_it_was = tuple(word for option in AS_IT_WAS for word in ("-mllvm", option))
    plan = replace(plan, generate=replace(plan.generate, arguments=(*words, *as_it_was)))
    taken = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    metrics = ["instructions", "spills.executed", "reloads.executed"]
    functions = take_metrics(taken, metrics, bench).functions
    executed = sum(sum(functions[metric].get(name, 0) for name in hot.executions) for metric in metrics) + hot.other
    assert judged == pytest.approx(executed, rel=0.005)


def test_it_judges_what_differs(modules: Modules, bench: Bench) -> None:
    hot = hot_of(modules.frozen(), bench)
    one, other = (cost_of(hot, known(function), bench) for function in ("default", "small"))
    assert one["crowded"] != other["crowded"]


def test_what_becomes_no_instruction_does_not_count() -> None:
    mir = """---
name:            f
stack:
  - { id: 0, type: spill-slot, offset: -8, size: 8 }
body:             |
  bb.0.entry, bb_id 3:
    successors: %bb.1
    liveins: $edi

    frame-setup PUSH64r killed $rax
    CFI_INSTRUCTION def_cfa_offset 16
    MOV64mr $rsp, 1, $noreg, 0, $noreg, killed renamable $rax :: (store (s64) into %stack.0)
    renamable $eax = KILL $edi

  bb.1 (align 16), bb_id 1:
    RET64

...
"""
    assert operations(mir) == {"f": {3: 3, 1: 1}}


def test_it_goes_on_where_it_was(
    modules: Modules, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state" / "judged.jsonl"
    monkeypatch.setattr(judged_module, "modules_of", lambda name, *_: {name: modules.frozen()})
    first = Judged(path, bench).gains(EVERY, ["made/pressure"])
    assert first[0] != 0 and len(path.read_text().splitlines()) == 2

    def refuse(*_: object) -> None:
        raise AssertionError("it was judged already")

    monkeypatch.setattr(judged_module, "hot_of", refuse)
    assert Judged(path, bench).gains(EVERY, ["made/pressure"]) == first
    with pytest.raises(AssertionError, match="already"):
        Judged(path, bench).gains(-EVERY, ["made/pressure"])
    costs = {tuple(line["weights"]): line["cost"] for line in map(json.loads, path.read_text().splitlines())}
    assert first == [pytest.approx(np.log(costs[tuple(ZERO)] / costs[tuple(EVERY)]))]


def test_the_submission_is_what_is_written() -> None:
    folder = SUBMISSIONS / "learned-priority"
    content = (folder / "model.onnx").read_bytes()
    assert network(weights_in(content)) == content and len(content) < 4096
    manifest = load_policy(f"{folder}/").manifest
    assert manifest.policy_class.value == "zero-shot"
    assert manifest.trained_on and all(one.endswith(":train") for one in manifest.trained_on)
