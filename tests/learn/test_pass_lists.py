"""Lists of passes: found on one program, chosen for all, and what was found is kept."""

import json
import math
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.learn.pass_lists.choose import Table, chosen, left_out
from harness.learn.pass_lists.common import Subject, asked, evolve_common
from harness.learn.pass_lists.evolve import MEMBERS, Population, beginnings, changed, evolve
from harness.learn.pass_lists.trials import Actions, Trials
from harness.problems.passes.actions import action_table
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import ROOT, User, write_policy

TABLE = action_table("llvm22")
LISTS = st.lists(st.integers(0, 9), max_size=6).map(tuple)


def table(gains: list[list[float]], homes: list[set[str]] | None = None) -> Table:
    programs = tuple("abcdef"[: len(gains[0])])
    lists = tuple((number,) for number in range(len(gains)))
    return Table(programs, lists, np.array(gains), tuple(map(frozenset, homes or [set()] * len(gains))))


@given(st.lists(st.lists(st.floats(-0.1, 0.1), min_size=3, max_size=3), min_size=1, max_size=6))
def test_each_list_that_is_chosen_raises_the_mean_or_leaves_it(gains: list[list[float]]) -> None:
    choice = chosen(table(gains), 4)
    assert len(set(choice.lists)) == len(choice.lists) == min(4, len(gains))
    assert choice.means[0] == max(np.mean(gains, axis=1))
    assert list(choice.means) == sorted(choice.means)
    assert math.isclose(choice.means[-1], np.max([gains[one] for one in choice.lists], axis=0).mean(), abs_tol=1e-12)


def test_lists_that_complete_each_other_are_chosen() -> None:
    gains = [[0.05, 0.05, -0.1, -0.1], [-0.1, -0.1, 0.05, 0.05], [0.01, 0.01, 0.01, 0.01]]
    assert chosen(table(gains), 1).lists == (2,)
    assert set(chosen(table(gains), 3).lists) == {0, 1, 2}
    assert chosen(table(gains), 3).means[-1] == 0.05


def test_a_list_that_breaks_a_program_counts_as_a_loss_there() -> None:
    assert chosen(table([[0.2, -math.inf], [0.0, 0.0]]), 1).lists == (1,)


def test_a_program_that_is_left_out_is_served_by_lists_of_others() -> None:
    gains = [[0.5, 0.0, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.1]]
    unseen = left_out(table(gains, [{"a"}, {"b"}, {"c"}]), 1, {"a": "x", "b": "y", "c": "z"})
    assert unseen.tolist() == [0.1, 0.0, 0.0]
    family = left_out(table(gains, [{"a"}, {"b"}, {"c"}]), 1, {"a": "x", "b": "x", "c": "z"})
    assert family.tolist() == [0.0, 0.0, 0.0]


@given(LISTS, st.lists(LISTS.filter(bool), min_size=1, max_size=3), st.integers(0, 1000))
def test_a_changed_list_is_of_known_actions_and_follows_from_the_seed(
    actions: tuple[int, ...], others: list[tuple[int, ...]], seed: int
) -> None:
    first, again = (changed(actions, others, others, [1.0] * 10, random.Random(seed)) for _ in range(2))
    assert first == again
    assert set(first) <= set(range(10))
    assert len(first) <= len(actions) + 6


def test_beginnings_are_of_the_table() -> None:
    assert all(0 <= action < len(TABLE.actions) for actions in beginnings(TABLE) for action in actions)


def test_a_population_grows_smaller_objects_and_is_kept(bench: Bench, tmp_path: Path) -> None:
    (program,) = (one for one in load_suite("polybench").programs if one.id.endswith("/jacobi-1d"))
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    path = tmp_path / "one.json"
    with Trials(program.id, frozen, TABLE, bench) as trials:
        population = Population(path, trials.reference())
        evolve(population, trials, [], beginnings(TABLE), len(TABLE.actions), 4.0, random.Random(1))
        assert 1 <= len(population.members) <= MEMBERS
        sizes = [size for size, _ in population.members]
        assert sizes == sorted(sizes)
        assert all(trials.size(actions) == size for size, actions in population.members)
        assert population.best[0] < 1.1 * population.reference
        kept = Population.read(path)
        assert kept is not None
        assert (kept.members, kept.trials) == (population.members, population.trials)
        common = tmp_path / "common.list"
        pool = [actions for _, actions in population.members]
        subject = Subject(trials, population.reference)
        found = evolve_common(common, [subject], pool, len(TABLE.actions), 2.0, random.Random(1))
        assert found is not None
        assert found.mean == found.gains[program.id] >= math.log(population.reference / sizes[0])
        assert evolve_common(common, [subject], [], len(TABLE.actions), 0.0, random.Random(1)) == found
        assert trials.is_right(found.actions)
        helped = replace(subject, others=found.mean + 1)
        assert helped.gain(found.actions) == found.mean + 1, "another list serves this module better"


@dataclass(frozen=True)
class Known:
    """A module whose sizes are known without a compiler."""

    name: str
    sizes: dict[Actions, int | None]
    done: list[Actions] = field(default_factory=list)

    def size(self, actions: Actions) -> int | None:
        self.done.append(actions)
        return self.sizes[actions]


def known(sizes: Sequence[Mapping[Actions, int | None]], weights: Sequence[float]) -> list[Subject]:
    made = [Known(str(number), dict(one)) for number, one in enumerate(sizes)]
    return [Subject(cast(Any, one), 100, weight) for one, weight in zip(made, weights, strict=True)]


def test_a_list_is_worth_its_weighted_mean_gain() -> None:
    subjects = known([{(1,): 50}, {(1,): 100}], [3.0, 1.0])
    found = asked((1,), subjects, None, random.Random(0))
    assert found is not None
    assert found.mean == pytest.approx(0.75 * math.log(2))
    assert found.gains == {"0": pytest.approx(math.log(2)), "1": 0.0}


def test_a_list_that_breaks_a_module_is_none() -> None:
    assert asked((1,), known([{(1,): 50}, {(1,): None}], [1.0, 1.0]), None, random.Random(0)) is None


def test_a_list_that_is_far_behind_is_given_up_early_and_one_that_is_ahead_never() -> None:
    sizes: list[dict[Actions, int | None]] = [{(1,): 90, (2,): 95, (3,): 89}] * 60
    subjects = known(sizes, [1.0] * 60)
    best = asked((1,), subjects, None, random.Random(0))
    assert best is not None
    assert asked((2,), subjects, best, random.Random(0)) is None
    assert sum((2,) in one.trials.done for one in cast(Any, subjects)) == 6
    assert asked((3,), subjects, best, random.Random(0)) is not None


def test_a_list_that_differs_nowhere_is_given_up_unless_it_is_shorter() -> None:
    sizes: list[dict[Actions, int | None]] = [{(1, 1): 90, (1, 2): 90, (1,): 90}] * 60
    subjects = known(sizes, [1.0] * 60)
    best = asked((1, 1), subjects, None, random.Random(0))
    assert asked((1, 2), subjects, best, random.Random(0)) is None
    assert asked((1,), subjects, best, random.Random(0)) is not None


def test_the_best_lists_of_a_search_are_a_policy(tmp_path: Path) -> None:
    name, state, folder = "polybench/jacobi-1d", tmp_path / "state", tmp_path / "known"
    goal = ("--all", "--only", name, "--goal", "ir.instructions")
    learn("search", "--state", state, *goal, "--minutes", "0.05", "--round", "2")
    write_policy(
        folder,
        "",
        **{"problem": '"passes"', "form": '"best"', "class": '"search"', "files": '{ lists = "lists.json" }'},
        ceiling="true",
        deterministic="true",
        budget="60",
        targets='["x86-64"]',
        trained_on=f'["{name}"]',
    )
    learn("best", "--state", state, "--output", folder / "lists.json")
    user = User.at(tmp_path)
    words = ("--suite", "polybench", "--benchmark", "jacobi-1d", "--target", "x86-64", "--no-fresh")
    plain = write_policy(tmp_path / "plain", "default<O1>", targets='["x86-64"]')
    policies = [word for policy in ("Oz", folder, plain) for word in ("--policy", policy)]
    user.harness("run", *words, *policies, "--metric", "ir.instructions,decide.trials", code=0)
    found = {row.policy: row.value for row in user.rows() if row.metric == "ir.instructions"}
    (population,) = map(Population.read, state.glob("polybench.*.json"))
    assert population is not None
    assert found["known"] < (found.pop("plain") or 0)
    assert found == {"Oz": population.reference, "known": population.best[0]}
    recorded = tmp_path / "recorded.json"
    learn("known", "--results", user.results, "--goal", "ir.instructions", "--output", recorded)
    assert json.loads(recorded.read_text()) == json.loads((folder / "lists.json").read_text())
    begun = (
        "--state",
        tmp_path / "again",
        *goal,
        "--begin",
        folder / "lists.json",
        "--minutes",
        "0.01",
        "--round",
        "0",
    )
    learn("search", *begun)
    (again,) = map(Population.read, (tmp_path / "again").glob("polybench.*.json"))
    assert again is not None
    assert again.best[0] == population.best[0]
    assert again.trials > population.trials


def learn(*words: str | Path) -> None:
    command = [sys.executable, "-m", "harness.learn.pass_lists", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=ROOT)
    assert done.returncode == 0, done.stderr
