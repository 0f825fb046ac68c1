"""Each trainer, for seconds, on a handful of programs: what it was to gain rises, the same again gives the same, and a
training that is killed goes on."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.base.errors import UsageError
from harness.learn.inliners import cloning, covariance, evolution, imitation, policy_gradient, size_model
from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled, Exploration
from harness.learn.inliners.curve import Training
from harness.learn.inliners.gains import Found
from harness.learn.inliners.judge import METRICS, Judge
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network, fresh
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox import Reason
from harness.sandbox.bench import Bench
from tests.learn.inliners.test_collector import as_bitcode

ALLOC = METRICS[0]
SILENT = """
target triple = "x86_64-pc-linux-gnu"
define i32 @main() { ret i32 0 }
"""

EMPTY = """
target triple = "x86_64-pc-linux-gnu"
define internal i32 @called() { ret i32 1 }
define internal i32 @never() {
  %r = call i32 @called()
  ret i32 %r
}
"""


@pytest.fixture(scope="module")
def copied(small: list[Module], bench: object) -> Network:
    """A network that decides much as LLVM does."""
    with Pool(bench, 2) as pool:  # type: ignore[arg-type]
        return cloning.clone(cloning.questions_of(small, pool), cloning.MLGO_FEATURES, (40, 20), 0, passes=150)


def judge_of(modules: list[Module], pool: Pool, *, once: bool = False) -> Judge:
    return Judge.of(modules, ALLOC, pool, once_for_callee=once)


def test_a_clone_decides_as_llvm_does(small: list[Module], copied: Network, pool: Pool) -> None:
    seen = cloning.questions_of(small, pool)
    assert seen.inline.any() and not seen.inline.all()
    assert cloning.agreement(copied, seen) > 0.95
    assert judge_of(small, pool).gain(copied, pool) == pytest.approx(1, abs=0.02)


def test_imitation_gains_on_what_it_learns_from(small: list[Module], pool: Pool, tmp_path: Path) -> None:
    how = imitation.Imitation(
        STATIC_FEATURES, ALLOC, True, (40, 20), rounds=2, modules=6, functions=100, blind=0, steps=1000, margins=(0,)
    )
    judge = judge_of(small, pool, once=True)
    learnt = imitation.learn(small, judge, how, tmp_path, pool, {})
    assert judge.gain(learnt, pool) > 1.003
    assert (tmp_path / "network.bin").read_bytes() == learnt.as_data()
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [one["step"] for one in curve] == [1, 2]
    assert curve[1]["compilations"] > curve[0]["compilations"] > 0 and curve[1]["cpu"] > curve[0]["cpu"] > 0


def test_imitation_of_little_decides_as_llvm_does_elsewhere(small: list[Module], pool: Pool, tmp_path: Path) -> None:
    """What three functions say is no reason to make other programs larger: the next round's trials begin from there."""
    how = imitation.Imitation(
        STATIC_FEATURES, ALLOC, once_for_callee=False, rounds=1, modules=1, functions=3, steps=1000
    )
    learnt_from = [one for one in small if one.name == "cbench/dijkstra"]
    judge = judge_of([one for one in small if one not in learnt_from], pool)
    assert judge.gain(imitation.learn(learnt_from, judge, how, tmp_path, pool, {}), pool) > 0.99


def test_imitation_asks_as_it_will_be_asked(small: list[Module], pool: Pool) -> None:
    """About the first call of a function where that one decides for all, also while LLVM decides each: then the answer
    is what all calls save, against none.
    """
    module = next(one for one in small if one.name == "cbench/patricia")
    with Collector(pool.bench) as collector:
        own = collector.compile(module.read(), all_features=True)
        ways = [
            [collector.compile(module.read(), forced={callee: way}) for way in (False, True)]
            for callee in np.unique(own.steps.callees[own.steps.callees >= 0]).tolist()
        ]
    possible = [((none.alloc - every.alloc) / own.alloc, (none.text - every.text) / own.text) for none, every in ways]
    how = imitation.Imitation(STATIC_FEATURES, ALLOC, once_for_callee=True, modules=1, functions=1)
    alone = [imitation.found_of([module], None, replace(how, seed=seed), 0, pool)[0] for seed in range(5)]
    for found in alone:
        assert any(found.saved[0] == pytest.approx(one) for one in possible)
    found, compilations, _ = imitation.found_of([module], None, replace(how, functions=1000), 0, pool)
    assert not found.features[:, STATIC_FEATURES.index("callee_calls_inlined")].any()
    assert len(found.saved) == len(possible) and compilations < 1 + len(possible)
    assert found.by("size.text").saved.tolist() != found.by(ALLOC).saved.tolist()


def test_nothing_is_learnt_from_a_module_without_bytes(small: list[Module], pool: Pool, bench: Bench) -> None:
    bitcode = as_bitcode(EMPTY, bench.toolchain)
    empty = Module("empty", "empty", lambda: bitcode, "0" * 64, closed=True)
    with Collector(bench) as collector:
        assert collector.compile(bitcode, closed=True).alloc == 0
    how = imitation.Imitation(STATIC_FEATURES, ALLOC, once_for_callee=True, functions=2)
    gains, compilations, log = imitation.found_of([empty, small[0]], None, how, 0, pool)
    alone, of_it, _ = imitation.found_of([small[0]], None, how, 0, pool)
    assert gains.saved.tolist() == alone.saved.tolist() and set(gains.modules) == {1}
    assert compilations == of_it + 1 and log == 0


@pytest.mark.parametrize("is_a_rule", [True, False])
def test_a_network_is_trusted_as_far_as_it_was_right_about_other_modules(
    is_a_rule: bool, small: list[Module], pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what inlining saves made up: by a feature where there is a rule, by chance where there is none."""
    chance = np.random.default_rng(0)
    features = chance.integers(0, 100, (4000, len(STATIC_FEATURES)))
    llvm = features[:, STATIC_FEATURES.index("llvm_inlines")] = chance.integers(0, 2, 4000)
    is_worth_it = (
        features[:, STATIC_FEATURES.index("callee_bytes")] < 50 if is_a_rule else (chance.random(4000) < 0.2) ^ llvm
    )
    saved = np.where(is_worth_it, 0.01, -0.01)
    made = Found(features, np.stack([saved, -saved], axis=1), np.arange(4000) % 200)
    monkeypatch.setattr(imitation, "found_of", lambda *_: (made, 1, 0.0))
    how = imitation.Imitation(("callee_bytes", "llvm_inlines"), ALLOC, True, (40, 20), rounds=1, steps=500)
    learnt = imitation.learn(small * 40, judge_of(small[:1], pool), how, tmp_path, pool, {})
    columns = features[:, [STATIC_FEATURES.index(name) for name in how.features]]
    decided = learnt.logits(columns) > 0
    assert (decided == is_worth_it).mean() > 0.95 if is_a_rule else (decided == llvm).all()


def test_imitation_that_was_killed_goes_on_to_the_same(small: list[Module], pool: Pool, tmp_path: Path) -> None:
    how = imitation.Imitation(cloning.MLGO_FEATURES, ALLOC, once_for_callee=False, rounds=2, modules=3, functions=3)
    judge = judge_of(small[:2], pool)
    whole = imitation.learn(small, judge, how, tmp_path / "whole", pool, {})
    for rounds in (1, 2):
        part = imitation.Imitation(
            cloning.MLGO_FEATURES, ALLOC, once_for_callee=False, rounds=rounds, modules=3, functions=3
        )
        again = imitation.learn(small, judge, part, tmp_path / "part", pool, {})
    assert (again.parameters() == whole.parameters()).all()


def test_no_module_is_looked_at_again_before_all_were(
    small: list[Module], pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[list[str]] = []

    def found_of(modules: list[Module], *_: object) -> tuple[Found, int, float]:
        looked_at.append([one.name for one in modules])
        return Found(np.zeros((2, len(STATIC_FEATURES)), np.int64), np.zeros((2, 2)), np.arange(2)), 1, 0.0

    monkeypatch.setattr(imitation, "found_of", found_of)
    how = imitation.Imitation(STATIC_FEATURES, ALLOC, once_for_callee=True, rounds=4, modules=3, steps=1)
    imitation.learn(small, judge_of(small[:1], pool), how, tmp_path, pool, {})
    first, second, third, fourth = looked_at
    assert sorted(first + second) == sorted(third + fourth) == sorted(one.name for one in small)
    assert first != [one.name for one in small[:3]]


def test_the_gradient_leads_upwards(small: list[Module], copied: Network, pool: Pool, tmp_path: Path) -> None:
    """From a network that decides by chance, nearly."""
    timid = copied.with_parameters(0.3 * copied.parameters())
    how = policy_gradient.Gradient(12, modules=6, steps=30, rate=1e-2, divergence=0.2, every=12, seed=1)
    judge = judge_of(small, pool)
    learnt = policy_gradient.learn(timid, judge, judge, how, tmp_path, pool, {})
    curve = list(Training(tmp_path, {}, 0.0).curve())
    assert np.mean([one.train for one in curve[-3:]]) > np.mean([one.train for one in curve[:3]]) + 0.01
    assert (learnt.parameters() != timid.parameters()).any()
    assert (tmp_path / "network.bin").read_bytes() == learnt.as_data()
    again = policy_gradient.learn(timid, judge, judge, how, tmp_path, pool, {})
    assert (again.parameters() == learnt.parameters()).all()


def test_a_module_that_asks_nothing_is_no_obstacle(
    small: list[Module], copied: Network, pool: Pool, bench: Bench, tmp_path: Path
) -> None:
    bitcode = as_bitcode(SILENT, bench.toolchain)
    silent = Module("silent", "silent", lambda: bitcode, "0" * 64)
    judge = judge_of([*small[:2], silent], pool)
    how = policy_gradient.Gradient(1, modules=3, steps=2, every=1)
    policy_gradient.learn(copied, judge, judge, how, tmp_path / "out", pool, {})
    (point,) = Training(tmp_path / "out", {}, 0.0).curve()
    assert np.isfinite(point.train)


def test_evolution_leads_upwards(small: list[Module], copied: Network, pool: Pool, tmp_path: Path) -> None:
    bad = copied.with_parameters(-copied.parameters())
    how = evolution.Evolution(3, pairs=6, modules=2, spread=0.1, rate=1.0, every=3)
    judge = judge_of(small[:3], pool)
    learnt = evolution.learn(bad, judge, judge, how, tmp_path, pool, {})
    assert (tmp_path / "network.bin").read_bytes() == learnt.as_data()
    curve = list(Training(tmp_path, {}, 0.0).curve())
    assert [one.step for one in curve] == [1, 2, 3] and curve[-1].validation is not None
    assert curve[-1].compilations == 3 * 6 * 2 * 2 + 3


def test_decisions_that_crash_llvm_count_as_bad(
    small: list[Module], copied: Network, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a run they are a failed program. Were they as good as LLVM's, what crashes would be learnt."""
    judge = judge_of(small[:3], pool)
    compiles, crashing = Collector.compile, small[1].read()

    def compiled(collector: Collector, bitcode: bytes, how: Exploration = HEURISTIC, **words: Any) -> Compiled:
        if bitcode == crashing and how is not HEURISTIC:
            raise SessionLost("compiling a module: crashed", Reason.SIGNAL)
        return compiles(collector, bitcode, how, **words)

    monkeypatch.setattr(Collector, "compile", compiled)
    assert judge.ratios(copied, pool)[1] < 0.7 < judge.ratios(copied, pool)[0]
    candidates = np.stack([copied.parameters(), -copied.parameters(), copied.parameters()])
    gains = evolution.tried(copied, candidates, np.array([[0], [2], [1]]), judge, pool)
    assert gains[2] == gains.min() < 0
    with pytest.raises(ValueError, match="no module of a step could be compiled"):
        evolution.tried(copied, candidates, np.array([[1], [1], [1]]), judge, pool)


def test_what_was_compiled_under_llvm_is_known_when_a_training_was_cut_off(
    small: list[Module], bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a module that could not be compiled once is tried again."""
    own = replace(bench, cache=tmp_path / "cache")
    compiles, compiled, third = Collector.compile, [], small[2].read()

    def cut_off(collector: Collector, bitcode: bytes, *words: Any, **more: Any) -> Compiled:
        compiled.append(bitcode)
        if bitcode == third and compiled.count(third) <= 3:
            raise fault
        return compiles(collector, bitcode, *words, **more)

    monkeypatch.setattr(Collector, "compile", cut_off)
    fault: Exception = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt), Pool(own, 1) as pool:
        judge_of(small[:3], pool)
    fault = SessionLost("compiling a module: crashed", Reason.SIGNAL)
    with Pool(own, 1) as pool:
        assert judge_of(small[:3], pool).modules == tuple(small[:2])
        assert judge_of(small[:3], pool).modules == tuple(small[:3])
    assert [compiled.count(one.read()) for one in small[:3]] == [1, 1, 4]


def test_adaptation_leads_upwards_and_goes_on_to_the_same(small: list[Module], pool: Pool, tmp_path: Path) -> None:
    seen = cloning.questions_of(small[:3], pool).features
    names = ("cost_estimate", "callee_users", "caller_basic_block_count")
    start = fresh(names, seen[:, [STATIC_FEATURES.index(name) for name in names]], (), 3)
    judge = judge_of(small[:3], pool)
    for steps in (2, 6):
        how = covariance.Adaptation(steps, population=12, modules=3, spread=1.0, every=4)
        learnt = covariance.learn(start, judge, judge, how, tmp_path / "part", pool, {})
    whole = covariance.learn(start, judge, judge, how, tmp_path / "whole", pool, {})
    assert (whole.parameters() == learnt.parameters()).all()
    assert (tmp_path / "whole" / "network.bin").read_bytes() == whole.as_data()
    curve = list(Training(tmp_path / "whole", {}, 0.0).curve())
    assert [one.compilations for one in curve] == [36, 72, 108, 147, 183, 222]
    assert curve[-1].train > curve[0].train + 0.02


def test_a_training_with_other_words_is_not_gone_on_with(tmp_path: Path) -> None:
    words = {"how": {"seed": 0, "steps": None}, "metric": "size.text"}
    Training(tmp_path, words, 5.0).advance(7, 8.0, 1.0, None, {"x": np.ones(2)})
    with pytest.raises(UsageError, match=r"words: how\.seed is 0 there and 1 here\n"):
        Training(tmp_path, {**words, "how": {"seed": 1, "steps": None}}, 0.0)
    again = Training(tmp_path, words, 100.0)
    assert again.steps == 1 and again.kept is not None and (again.kept["x"] == 1).all()
    again.advance(1, 101.0, 1.1, 1.2, {})
    first, second = again.curve()
    assert (first.step, first.compilations, first.cpu, first.train, first.validation) == (1, 7, 3.0, 1.0, None)
    assert (second.step, second.compilations, second.cpu, second.train, second.validation) == (2, 8, 4.0, 1.1, 1.2)


def test_sizes_are_foretold(small: list[Module], pool: Pool) -> None:
    seen = size_model.collect(small, pool)
    assert len(seen.bytes) > 30
    fit = size_model.fitted(seen)
    assert (fit.weights >= 0).all() and 10 < fit.unwind + 6 * fit.doubling < 80
    assert size_model.rank_correlation(seen, 3, 0) > 0.8


def test_a_step_that_was_cut_off_is_made_again_and_stands_once_in_the_curve(tmp_path: Path) -> None:
    training = Training(tmp_path, {}, 0.0)
    training.advance(1, 1.0, 1.0, None, {"x": np.ones(1)})
    before = (tmp_path / "checkpoint.npz").read_bytes()
    training.advance(1, 2.0, 1.5, None, {"x": np.zeros(1)})
    (tmp_path / "checkpoint.npz").write_bytes(before)  # killed between the line and the checkpoint
    again = Training(tmp_path, {}, 0.0)
    assert again.steps == 1
    again.advance(1, 1.0, 1.5, None, {"x": np.zeros(1)})
    assert [one.step for one in again.curve()] == [1, 2]
