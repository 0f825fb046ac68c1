"""A tree that says what allocates a function: what it finds, and that its C++ says the same."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.learn.allocators.__main__ import main
from harness.learn.allocators.examples import (
    ALLOCATIONS,
    COST,
    Examples,
    examples_of,
    read_examples,
)
from harness.learn.allocators.oracle import best, cheapest, gain
from harness.learn.allocators.tree import Leaf, Split, choices, gains, grown, left_out, source, terms
from harness.problems.regalloc.features import FUNCTION, FUNCTION_FEATURES
from harness.problems.regalloc.log import functions_of
from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import Modules, asking_of, decide, priority_policy, shown_to

NAMES = [tensor.name for tensor in FUNCTION_FEATURES]
EXCESS = NAMES.index("general_excess")
WEIGHT = ALLOCATIONS.index("weight")


@pytest.fixture(scope="module")
def modules(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Modules:
    """The made programs."""
    return Modules(tmp_path_factory.mktemp("modules"), bench)


def made(programs: int = 8, each: int = 10) -> Examples:
    """Functions that execute a tenth less by spill weight where more than 100 ranges find no register, else more."""
    chance = np.random.default_rng(1)
    count = programs * each
    features: NDArray[np.float64] = chance.uniform(0, 200, (count, len(NAMES)))
    costs = np.full((count, len(ALLOCATIONS)), 1.2 / each)
    costs[:, 0] = 1 / each
    costs[:, WEIGHT] = np.where(features[:, EXCESS] > 100, 0.9, 1.1) / each
    return Examples(np.repeat([f"made/{n}" for n in range(programs)], each), features, {COST: costs})


def test_it_finds_what_decides() -> None:
    examples = made()
    tree = grown(examples, 3, 0.01)
    assert isinstance(tree, Split) and tree.term == "general_excess" and 95 < tree.most < 105
    assert (tree.left, tree.right) == (Leaf(0), Leaf(WEIGHT))
    expected = np.where(examples.features[:, EXCESS] > tree.most, WEIGHT, 0)
    assert (choices(tree, examples) == expected).all()
    assert min(gains(tree, examples).values()) > 1 and left_out(examples, 3, 0.01) > 1.02


def test_what_saves_too_little_is_no_split() -> None:
    examples = made()
    assert grown(examples, 3, 9.0) == grown(examples, 0, 0.01) == Leaf(0)


def test_one_programs_peculiarity_is_no_rule() -> None:
    examples = made()
    costs = np.repeat(examples.costs[:, :1], len(ALLOCATIONS), axis=1)
    costs[:10, WEIGHT] = 0
    features = np.zeros_like(examples.features)
    features[:10, EXCESS] = 1000
    assert grown(Examples(examples.programs, features, {COST: costs}), 3, 0.01) == Leaf(WEIGHT)
    costs[10:, WEIGHT] *= 2
    assert grown(Examples(examples.programs, features, {COST: costs}), 3, 0.01) == Leaf(0)


def test_leaves_are_among_what_is_allowed() -> None:
    examples = made()
    assert grown(examples, 3, 0.01, ["default", "constant"]) == Leaf(0)
    assert grown(examples, 3, 0.01, ["constant", "weight"]) == Leaf(WEIGHT)


def test_what_a_static_cost_finds_of_what_is_there() -> None:
    """Two functions of one program: by reloads the first would be chosen rightly, the second wrongly."""
    costs: NDArray[np.float64] = np.full((2, len(ALLOCATIONS)), 0.5)
    costs[:, 1], costs[:, 2] = (0.3, 0.5), (0.5, 0.2)
    reloads: NDArray[np.float64] = np.full((2, len(ALLOCATIONS)), 7.0)
    reloads[:, 1] = 6, 5
    spills: NDArray[np.float64] = np.zeros_like(reloads)
    spills[1, 1] = 3
    examples = Examples(
        np.array(["made", "made"]), np.zeros((2, len(NAMES))), {COST: costs, "reloads": reloads, "spills": spills}
    )
    assert best(examples, COST, 2).tolist() == [1, 0] and best(examples, COST, 16).tolist() == [1, 2]
    assert gain(examples, best(examples, COST, 16), COST) == pytest.approx(1 / (1 - 0.2 - 0.3))
    assert cheapest(examples, {"reloads": 1}, 16).tolist() == [1, 1]
    assert gain(examples, cheapest(examples, {"reloads": 1}, 16), COST) == pytest.approx(1 / (1 - 0.2))
    assert cheapest(examples, {"reloads": 1, "spills": 0.5}, 16).tolist() == [1, 1]
    assert cheapest(examples, {"reloads": 1, "spills": 1}, 16).tolist() == [1, 0]
    assert gain(examples, np.zeros(2, int), COST) == 1


@pytest.mark.parametrize("term", ["general_pressure", "accesses/frequency", "general_pressure-general_registers"])
def test_its_cpp_says_the_same(term: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    shown = [[one[name] for name in NAMES] for one in shown_to("0", FUNCTION, frozen, bench)]
    none: NDArray[np.float64] = np.ones((len(shown), 1))
    examples = Examples(np.array(["made"] * len(shown)), np.array(shown, dtype=float), {COST: none})
    tree = Split(
        term, float(np.median(terms(examples.features)[term])), Leaf(0), Split("calls", 0.5, Leaf(WEIGHT), Leaf(2))
    )
    expected = sorted(ALLOCATIONS[place] for place in choices(tree, examples) if place)
    assert 0 < len(expected) < len(shown)
    body = decide(asking_of("function", priority_policy(source(tree))), frozen, bench).body
    assert sorted(one.priority for one in functions_of(body)) == expected


def test_examples_are_what_functions_execute(modules: Modules, bench: Bench, tmp_path: Path) -> None:
    line = examples_of("made/pressure", modules.frozen(), bench)
    functions = json.loads(line)["functions"]
    assert {"crowded", "floating", "main"} <= set(functions)
    file = tmp_path / "examples.jsonl"
    file.write_text(line + "\n")
    examples = read_examples([file])
    assert examples.costs[:, 0].sum() == pytest.approx(1, abs=0.01)
    crowded = list(functions).index("crowded")
    assert examples.features[crowded, EXCESS] > 0 and len(set(examples.costs[crowded])) > 1
    taken = examples.measured
    assert 0.3 < taken["accesses"][:, 0].sum() < 1, "libc has the others"
    assert (taken["spills.static"][crowded] >= taken["spills"][crowded]).all() and taken["spills"][crowded].all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--among", "default greediest"], "--among: 'greediest' is none of default, weight"),
        (["--among", ""], "--among: nothing is none of default"),
        (["--cost", "mca.static + 2 accesses"], "--cost: '2 accesses' is none of mca.static"),
    ],
)
def test_words_that_mean_nothing(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as raised:
        patch.setattr("sys.argv", ["allocators", "oracle", "--examples", "none.jsonl", *words])
        main()
    assert raised.value.code == 2 and said in capsys.readouterr().err
