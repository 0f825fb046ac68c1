"""``harness run --log-features`` of policies that allocate registers: two tables, and what came of it."""

from dataclasses import dataclass, replace
from pathlib import Path

import polars
import pytest

from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.problems.regalloc.evictions import SLOT_FEATURES
from harness.problems.regalloc.features import FUNCTION_FEATURES, RANGE_FEATURES
from harness.problems.regalloc.trajectories.collect import Allocated, Asked, Evicting, Slot, trajectory
from harness.problems.regalloc.trajectories.table import (
    EVICTION_COLUMNS,
    FUNCTION_COLUMNS,
    RANGE_COLUMNS,
    Cell,
    Judged,
    write_allocations,
    write_evictions,
    write_ranges,
)
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import TINY, User
from tests.rows import row as make_row

ENDINGS = ("allocations", "ranges", "evictions")
POLICIES = ("greedy", "basic", "constant-priority")
WORDS = ("run", "--suite", TINY, "--benchmark", "tally", "--target", "x86-64", "--no-fresh", "--log-features")


@dataclass(frozen=True)
class Logged:
    """A run whose features were logged."""

    user: User
    words: tuple[str | Path, ...]

    def file(self, ending: str) -> Path:
        """What was logged."""
        (file,) = self.user.results.glob(f"*.{ending}.parquet")
        return file

    def frame(self, ending: str) -> polars.DataFrame:
        """The same."""
        return polars.read_parquet(self.file(ending))


@pytest.fixture(scope="module")
def logged(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Logged:
    user = User(bench.cache, tmp_path_factory.mktemp("logged") / "results")
    words = (*WORDS, "--track", "speed", "--policy", ",".join(POLICIES), "--metric", "instructions")
    answer = user.harness(*words, code=0)
    assert answer.err.count("allocations and their features in") == 3
    return Logged(user, words)


def test_columns_and_their_types(logged: Logged) -> None:
    functions, ranges, evictions = (logged.frame(ending) for ending in ENDINGS)
    assert {name: str(kind) for name, kind in evictions.schema.items()} == EVICTION_COLUMNS
    assert {name: str(kind) for name, kind in functions.schema.items()} == FUNCTION_COLUMNS
    assert {name: str(kind) for name, kind in ranges.schema.items()} == RANGE_COLUMNS
    assert {tensor.name for tensor in FUNCTION_FEATURES} <= set(functions.columns)
    assert {tensor.name for tensor in RANGE_FEATURES} <= set(ranges.columns)
    assert {tensor.name for tensor in SLOT_FEATURES} - {"mask"} <= set(evictions.columns)
    assert all(not evictions[name].is_null().any() for name in evictions.columns)
    assert all(not functions[name].is_null().any() for name in functions.columns)
    assert [name for name in ranges.columns if ranges[name].is_null().any()] == ["local_reward"]
    assert ranges.filter(polars.col("local_reward").is_null())["is_spillable"].unique().to_list() == [0]


def test_every_function_and_question_is_there_once(logged: Logged, bench: Bench) -> None:
    program = next(one for one in load_suite(str(TINY)).programs if one.benchmark.name == "tally")
    frozen = freeze(program, Target.X86_64, Level.O3, bench)
    functions, ranges = logged.frame("allocations"), logged.frame("ranges")
    rows = {row.policy: row for row in logged.user.rows()}
    urgent = [tensor.name for tensor in SLOT_FEATURES].index("nr_urgent")
    assert functions["policy"].unique(maintain_order=True).to_list() == sorted(POLICIES)
    for policy, row in rows.items():
        seen = trajectory(load_decisions(logged.user.results, row.decisions_digest or ""), frozen, bench)
        own, asked = functions.filter(policy=policy), ranges.filter(policy=policy)
        names = [tensor.name for tensor in FUNCTION_FEATURES]
        assert own.select("function", "code_digest", "allocation", *names).rows() == [
            (one.name, one.digest, one.allocation, *one.features) for one in seen
        ]
        assert own["questions"].to_list() == [len(one.questions) for one in seen]
        names = [tensor.name for tensor in RANGE_FEATURES]
        assert asked.select("function", "step", "register", "priority", "outcome", *names).rows() == [
            (one.name, each.step, each.register, each.priority, each.outcome, *each.features)
            for one in seen
            for each in one.questions
        ]
        freed = logged.frame("evictions").filter(policy=policy)
        assert freed.select("function", "step", "register", "slot", "is_named", "is_default", "nr_urgent").rows() == [
            (
                one.name,
                each.step,
                each.register,
                at.slot,
                at.slot == each.slot,
                at.slot == each.default,
                at.features[urgent],
            )
            for one in seen
            for each in one.evictions
            for at in each.slots
        ]
        for frame in (own, asked, freed):
            assert set(frame["cell"]) <= {row.cell} and set(frame["decisions_digest"]) <= {row.decisions_digest}
    assert set(ranges["policy"]) == {"greedy", "constant-priority"}, "Basic asks nobody"


def test_rewards_of_functions_are_those_of_their_live_ranges(logged: Logged) -> None:
    functions, ranges = logged.frame("allocations"), logged.frame("ranges")
    assert functions["global_reward"].to_list() == (1 - functions["value"] / functions["reference"]).to_list()
    assert set(functions.filter(policy="greedy")["global_reward"]) == {0.0}
    joined = ranges.join(functions, on=["cell", "function"], suffix="_of_function")
    assert joined.height == ranges.height
    assert joined["global_reward"].to_list() == joined["global_reward_of_function"].to_list()


def test_the_same_request_again_gives_the_same_files(logged: Logged) -> None:
    files = [logged.file(ending) for ending in ENDINGS]
    before = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    again = logged.user.harness(*logged.words, code=0)
    assert again.computed == 0 and [file.read_bytes() for file in files] == before
    assert "ignored" not in again.err, "the files belong there"


def test_nothing_else_is_logged(logged: Logged) -> None:
    assert not list(logged.user.results.glob("*.trajectories.parquet"))


def test_the_reference_of_track_size_is_llvms_greedy(bench: Bench, tmp_path: Path) -> None:
    """Beside policies that allocate registers; where there are none, nothing is logged."""
    user = User(bench.cache, tmp_path / "results")
    user.harness(*WORDS, "--policy", "Oz", code=0)
    assert not list(user.results.glob("*.allocations.parquet"))
    user.harness(*WORDS, "--policy", "Oz,constant-priority", code=0)
    functions = Logged(user, ()).frame("allocations")
    assert set(functions["policy"]) == {"Oz", "constant-priority"}
    assert set(functions.filter(policy="Oz")["allocation"]) == {"default"}
    assert set(functions.filter(policy="Oz")["global_reward"]) == {0.0}


# -- cells by hand


def function(outcome: str, weight: float, value: float | None = 3.0, reference: float | None = 4.0) -> Judged:
    """One with one question."""
    features = tuple(weight if tensor.name == "weight" else 1 for tensor in RANGE_FEATURES)
    asked = Asked(0, 7, 2**32 - 1, features, outcome)
    return Judged(Allocated("main", "ff", "listed", (1,) * len(FUNCTION_FEATURES), (asked,)), value, reference)


@pytest.mark.parametrize(
    ("outcome", "weight", "reward"),
    [("assigned", 0.5, 0.5), ("spilled", 0.5, -0.5), ("split", 0.5, 0.0), ("assigned", float("inf"), None),
     ("spilled", 0.0, 0.0)],
)  # fmt: skip
def test_local_rewards(outcome: str, weight: float, reward: float | None, tmp_path: Path) -> None:
    path = tmp_path / "ranges.parquet"
    assert write_ranges(path, [Cell(make_row(), [function(outcome, weight)])]) == path
    (row,) = polars.read_parquet(path).iter_rows(named=True)
    assert (row["local_reward"], row["outcome"], row["weight"]) == (reward, outcome, weight)
    assert (row["register"], row["priority"], row["global_reward"]) == (7, 2**32 - 1, 0.25)


@pytest.mark.parametrize(
    ("value", "reference", "reward"), [(3.0, 4.0, 0.25), (6.0, 4.0, -0.5), (None, 4.0, None), (3.0, None, None),
                                       (3.0, 0.0, None)]
)  # fmt: skip
def test_global_rewards(value: float | None, reference: float | None, reward: float | None, tmp_path: Path) -> None:
    path = tmp_path / "allocations.parquet"
    assert write_allocations(path, [Cell(make_row(), [function("split", 1.0, value, reference)])]) == path
    (row,) = polars.read_parquet(path).iter_rows(named=True)
    assert (row["value"], row["reference"], row["global_reward"]) == (value, reference, reward)


def test_a_row_for_each_slot_that_could_be_named(tmp_path: Path) -> None:
    path, one = tmp_path / "evictions.parquet", function("split", 1.0)
    slots = tuple(Slot(at, tuple(range(at, at + len(SLOT_FEATURES)))) for at in (3, 32))
    seen = replace(one.seen, evictions=(Evicting(5, 7, 32, 3, 0.5, slots),))
    assert write_evictions(path, [Cell(make_row(), [replace(one, seen=seen)])]) == path
    names = ("step", "register", "progress", "slot", "is_free", "min_stage", "is_default", "is_named", "global_reward")
    assert polars.read_parquet(path).select(names).rows() == [
        (5, 7, 0.5, 3, 4, 3 + 19, True, False, 0.25),
        (5, 7, 0.5, 32, 33, 32 + 19, False, True, 0.25),
    ]


def test_no_functions_no_file(tmp_path: Path) -> None:
    path = tmp_path / "allocations.parquet"
    assert write_allocations(path, [Cell(make_row(), [])]) is None and write_ranges(path, []) is None
    assert write_evictions(path, [Cell(make_row(), [function("split", 1.0)])]) is None
    assert not list(tmp_path.iterdir())
