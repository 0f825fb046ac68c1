"""A selector takes the list that suits a program; it learns from parts of programs, each a module of its own."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.freeze.freeze import count_instructions
from harness.learn.pass_lists.gains import examples_of, without_wrong
from harness.learn.pass_lists.parts import parts_of
from harness.learn.pass_lists.select import Examples, fitted, gains_left_out
from harness.learn.pass_lists.trials import Actions
from harness.problems.passes.actions import action_table
from harness.sandbox.bench import Bench

PROGRAM = "cbench/qsort"


def examples(seed: int = 0, programs: int = 200) -> Examples:
    """Programs of two kinds, two lists that each suit one kind, a third that suits neither, and noise."""
    chance = np.random.default_rng(seed)
    kind = np.arange(programs) % 2
    features = chance.normal(0, 1, (programs, 56))
    features[:, 3] = np.where(kind, 1.0, -1.0) + chance.normal(0, 0.2, programs)
    gains = np.stack([np.where(kind, 0.05, -0.05), np.where(kind, -0.05, 0.05), np.full(programs, -0.01)], axis=1)
    gains += chance.normal(0, 0.002, gains.shape)
    names = tuple(f"suite/{number}" for number in range(programs))
    homes = (frozenset(names[1:2]), frozenset(names[:1]), frozenset[str]())
    return Examples(names, np.ones(programs, bool), features, gains, homes, np.zeros(programs, bool))


@pytest.mark.parametrize("seed", range(5))
def test_each_kind_gets_its_list(seed: int) -> None:
    known, everything = examples(seed), np.ones(200, bool)
    selector = fitted(known, 2, (2,), everything, np.ones(3, bool))
    unseen = examples(seed + 100)
    picked = [selector.pick(features) for features in unseen.features]
    gains = [unseen.gains[row, one] for row, one in enumerate(picked)]
    assert np.mean(gains) > 0.03
    assert sorted(selector.lists) == [0, 1, 2]


def test_a_program_that_is_left_out_has_no_list_of_its_own() -> None:
    known = examples()
    found = gains_left_out(known, 2, (2,), {name: name for name in known.programs})
    assert found.keys() == set(known.programs)
    assert found["suite/0"] < 0 < known.gains[0, 1]  # the list that suits it was found on it
    assert np.mean(list(found.values())) > 0.03


def test_a_cluster_is_left_out_whole() -> None:
    known = examples()
    pairs = {name: str(int(name.partition("/")[2]) // 2) for name in known.programs}
    found = gains_left_out(known, 2, (2,), pairs)
    assert found["suite/0"] < 0
    assert found["suite/1"] < 0, "its list was found on itself, and the other kind's on its sister"
    assert np.mean(list(found.values())) > 0.03


def test_a_list_that_breaks_programs_is_not_taken() -> None:
    known = examples()
    known.gains[:, 0] = -math.inf
    assert fitted(known, 1, (2,), np.ones(200, bool), np.ones(3, bool)).lists == (1, 2)


def test_a_list_that_ruined_a_program_is_not_taken() -> None:
    known = examples()
    known.gains[:, 0] = 0.2
    assert fitted(known, 1, (2,), np.ones(200, bool), np.ones(3, bool)).lists == (0, 2)
    known.gains[7, 0] = -0.2
    assert 0 not in fitted(known, 1, (2,), np.ones(200, bool), np.ones(3, bool)).lists


def test_a_list_that_makes_a_program_wrong_is_not_taken() -> None:
    known, lists = examples(programs=40), ((0,), (1,), (2,))
    asked: list[tuple[str, Actions]] = []

    def is_right(program: str, actions: Actions) -> bool:
        asked.append((program, actions))
        return (program, actions) != ("suite/3", (0,))

    def take(one: Examples) -> tuple[int, ...]:
        return fitted(one, 2, (2,), np.ones(40, bool), np.ones(3, bool)).lists

    assert 0 in take(known)
    found = without_wrong(known, lists, take, is_right)
    assert 0 not in take(found)
    assert found.gains[3, 0] == -math.inf and np.isfinite(found.gains).sum() == known.gains.size - 1
    assert len(asked) == len(set(asked)) == 3 * 40


def test_parts_weigh_as_much_as_the_program_and_units_as_all_programs() -> None:
    whole, unit = np.array([True, False, False, True, False, False]), np.arange(6) >= 4
    one = Examples(("a", "a", "a", "b", "c", "d"), whole, np.zeros((6, 56)), np.zeros((6, 1)), (frozenset(),), unit)
    assert one.weights.tolist() == [0.5, 0.25, 0.25, 1.0, 1.0, 1.0]


@pytest.fixture(scope="module")
def frozen(bench: Bench) -> FrozenModule:
    return modules_of([PROGRAM], Target.X86_64, Level.OZ, bench)[PROGRAM]


def test_parts_are_modules_and_are_kept(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    first = parts_of(frozen, 3, random.Random(1), tmp_path / "parts", bench)
    assert 1 <= len(first) <= 3
    assert len({part.digest for part in first}) == len(first)
    for part in first:
        assert 0 < count_instructions(part.bitcode, bench) < frozen.instructions
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").rglob("*.bc")}
    assert parts_of(frozen, 3, random.Random(1), tmp_path / "parts", bench) == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").rglob("*.bc")} == kept


def test_there_are_as_many_parts_as_are_asked_for_now(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    """Whatever was asked before."""
    counts = [len(parts_of(frozen, most, random.Random(1), tmp_path / "parts", bench)) for most in (0, 1, 30)]
    assert counts[0] == 0 and counts[1] <= 1 < counts[2]


def test_what_was_measured_is_measured_once(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    actions = action_table("llvm22").actions
    lists: dict[Actions, frozenset[str]] = {
        (actions.index("default<Oz>"),): frozenset({PROGRAM}),
        (actions.index("mergefunc"),): frozenset(),
    }
    first = examples_of({PROGRAM: frozen}, lists, 2, tmp_path, bench)
    assert first.features.shape == (len(first.programs), 56)
    assert np.isfinite(first.gains).all()
    assert abs(first.gains[0, 0]) < 0.02 < first.gains[0, 0] - first.gains[0, 1]
    assert np.isclose(first.features[0, 51], 1)
    file = tmp_path / "parts.jsonl"
    before = file.read_text()
    file.write_text(before + '{"program": "torn')
    again = examples_of({PROGRAM: frozen}, lists, 2, tmp_path, bench)
    assert (again.gains == first.gains).all()
    assert file.read_text() == before
    more = examples_of({PROGRAM: frozen}, lists | {(actions.index("clang-Oz"),): frozenset[str]()}, 2, tmp_path, bench)
    assert more.gains[:, :2].tolist() == first.gains.tolist()
    assert abs(more.gains[0, 2]) < 1e-12
