"""Fresh workloads: what a seed makes of a program's own, and that it is always the same."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.store import Store
from harness.record.seed import draw_seed
from harness.suite.fresh import ATTEMPTS, fresh_workload, takes_fresh_inputs
from harness.suite.load import Program, load_suite
from tests.drive import TINY
from tests.programs import own_program

SEEDS = st.binary(min_size=16, max_size=16).map(bytes.hex)


def workload(name: str, seed: int = 1, size: int = 8, **more: Any) -> dict[str, Any]:
    """One that reads noise."""
    return {
        "name": name,
        "inputs": ({"file": "in", "generator": "noise", "seed": seed, "params": {"size": size}},),
        **more,
    }


def program(folder: Path, *workloads: dict[str, Any]) -> Program:
    return own_program(folder, {"main.c": "int main(void) { return 0; }"}, workloads=workloads)


def test_a_seed_has_128_bits_and_is_never_the_same() -> None:
    seeds = {draw_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(len(bytes.fromhex(seed)) == 16 for seed in seeds)


@settings(max_examples=20)
@given(seed=SEEDS, attempt=st.integers(1, ATTEMPTS))
def test_seed_and_attempt_alone_make_the_input(seed: str, attempt: int, store: Store) -> None:
    tally = load_suite(str(TINY)).programs[0]
    first, second = (fresh_workload(tally, seed, attempt, store) for _ in range(2))
    assert first is not None
    assert first == second
    own = {w.name: w for w in tally.benchmark.workloads}[first.workload.name.removeprefix("fresh-")]
    same = {"name", "inputs"}
    assert first.workload.model_dump(exclude=same) == own.model_dump(exclude=same)  # parameters stay
    assert [item.seed for item in first.workload.inputs] != [item.seed for item in own.inputs]
    assert first.expected is None  # never one that the suite pins


@pytest.mark.slow
def test_all_workloads_get_their_turn_and_attempts_take_the_next(tmp_path: Path, store: Store) -> None:
    two = program(tmp_path, workload("a"), workload("b", 2), workload("bad", 3, exit=1), {"name": "plain"})
    names = [
        [str(fresh.workload.name) for n in range(1, ATTEMPTS + 1) if (fresh := fresh_workload(two, seed, n, store))]
        for seed in (draw_seed() for _ in range(40))
    ]
    assert {name for attempts in names for name in attempts} == {"fresh-a", "fresh-b"}  # not the one that ends badly
    assert all(one != other for attempts in names for one, other in pairwise(attempts))


def test_an_input_that_no_seed_changes_is_none(tmp_path: Path, store: Store) -> None:
    """A generator that makes nothing gives the suite's own input again, which would verify nothing."""
    empty = program(tmp_path / "empty", workload("empty", size=0))
    assert takes_fresh_inputs(empty)
    assert fresh_workload(empty, draw_seed(), 1, store) is None
    both = program(tmp_path / "both", workload("empty", size=0), workload("bad", exit=1))
    found = [fresh_workload(both, draw_seed(), 1, store) for _ in range(10)]
    assert [one and one.workload.name for one in found] == ["fresh-bad"] * 10


@pytest.mark.parametrize(("suite", "without"), [("polybench", 30), ("spec-like", 1), ("cbench", 0), ("mibench", 0)])
def test_programs_without_generated_input(suite: str, without: int) -> None:
    programs = load_suite(suite).programs
    assert sum(not takes_fresh_inputs(one) for one in programs) == without
