"""Lists of passes: found on one program, chosen for all, and what was found is kept."""

import math
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.learn.pass_lists.choose import Table, chosen, left_out
from harness.learn.pass_lists.common import evolve_common
from harness.learn.pass_lists.evolve import MEMBERS, Population, beginnings, changed, evolve
from harness.learn.pass_lists.trials import Trials
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
        words = ([trials], {program.id: population.reference}, pool, len(TABLE.actions))
        gain, actions = evolve_common(common, *words, 2.0, random.Random(1))
        assert gain >= math.log(population.reference / sizes[0]) - 1e-12
        again, _ = evolve_common(common, *words, 0.0, random.Random(1))
        assert again == gain
        assert trials.is_right(actions)


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
    user.harness("run", *words, "--policy", "Oz", "--policy", folder, "--metric", "ir.instructions", code=0)
    found = {row.policy: row.value for row in user.rows() if row.metric == "ir.instructions"}
    (population,) = map(Population.read, state.glob("polybench.*.json"))
    assert population is not None
    assert found == {"Oz": population.reference, "known": population.best[0]}
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
