"""``harness run --log-features``: one row a decision, and what came of it."""

from pathlib import Path

import polars
import pytest

from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.inlining.sites import Site, Who, sites_of
from harness.problems.inlining.trajectories.collect import Visit, trajectory
from harness.problems.inlining.trajectories.table import COLUMNS, Cell, write_trajectories
from harness.record import Row
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import TINY, User
from tests.problems.inlining.trajectories.conftest import Logged
from tests.rows import row as make_row

KEYS = ["benchmark", "target", "policy"]


@pytest.fixture(scope="module")
def frame(logged: Logged) -> polars.DataFrame:
    return polars.read_parquet(logged.file)


def cells(logged: Logged) -> dict[tuple[str, str, str], Row]:
    """One row of each cell of the run."""
    return {(row.benchmark, row.target.value, row.policy): row for row in logged.user.rows()}


def test_columns_and_their_types(frame: polars.DataFrame) -> None:
    assert {name: str(kind) for name, kind in frame.schema.items()} == COLUMNS
    assert [name for name in frame.columns if name in STATIC_FEATURES] == list(STATIC_FEATURES)
    assert all(not frame[name].is_null().any() for name in COLUMNS)


def test_every_decision_of_the_run_is_there_once(logged: Logged, frame: polars.DataFrame, bench: Bench) -> None:
    """Those of policies as their decisions files say; those of the reference as LLVM's own heuristic decides."""
    programs = {program.benchmark.name: program for program in load_suite(str(TINY)).programs}
    groups = dict(frame.group_by(KEYS, maintain_order=True))
    expected = {key: row for key, row in cells(logged).items() if key[2] != "Os"}
    assert set(groups) == set(expected) and len(expected) == 2 * 2 * 3
    for key, row in expected.items():
        group = groups[key]
        if row.policy == "Oz":
            decisions = default_decisions(freeze(programs[row.benchmark], row.target, Level.OZ, bench), bench)
        else:
            decisions = load_decisions(logged.user.results, row.decisions_digest or "")
        sites = {at: s for at, s in enumerate(sites_of(decisions.body)) if s.who in (Who.POLICY, Who.REPLACED)}
        assert group["position"].to_list() == list(sites)
        for found in group.iter_rows(named=True):
            site = sites[found["position"]]
            assert (found["caller"], found["callee"], found["ordinal"]) == (site.caller, site.callee, site.ordinal)
            assert found["inlining_decision"] == int(site.inline)
            assert found["replaced"] == (site.who is Who.REPLACED)
            assert found["inlining_default"] in (0, 1)
            if row.policy == "cheap":
                assert found["inlining_decision"] == int(found["cost_estimate"] <= 5)
            if row.policy == "Oz" or found["replaced"]:
                assert found["inlining_decision"] == found["inlining_default"]
        assert set(group["cell"]) == {row.cell} and set(group["decisions_digest"]) == {row.decisions_digest}
        assert set(group["policy_digest"]) == {row.policy_digest} and set(group["seed"]) == {row.seed}
        assert set(group["track"]) == {"size"}
    assert frame.filter(policy="falters")["replaced"].sum() >= 2


def test_features_are_those_of_the_decisions(logged: Logged, frame: polars.DataFrame, bench: Bench) -> None:
    program = next(p for p in load_suite(str(TINY)).programs if p.benchmark.name == "calc")
    frozen = freeze(program, Target.AARCH64, Level.OZ, bench)
    row = cells(logged)["calc", "aarch64", "falters"]
    visits = trajectory(load_decisions(logged.user.results, row.decisions_digest or ""), frozen, bench)
    group = frame.filter(benchmark="calc", target="aarch64", policy="falters")
    assert group.select(STATIC_FEATURES).rows() == [visit.features for visit in visits]


def test_the_reward_is_what_was_saved(logged: Logged, frame: polars.DataFrame) -> None:
    sizes = {
        (row.benchmark, row.target.value, row.policy): row.value
        for row in logged.user.rows()
        if row.metric == "size.alloc"
    }
    for found in frame.select(*KEYS, "metric", "value", "reference", "reward").unique().iter_rows(named=True):
        value = sizes[found["benchmark"], found["target"], found["policy"]]
        reference = sizes[found["benchmark"], found["target"], "Oz"]
        assert value is not None and reference is not None
        assert (found["metric"], found["value"], found["reference"]) == ("size.alloc", value, reference)
        assert found["reward"] == 1 - value / reference
    rewards = {policy: set(group["reward"]) for (policy,), group in frame.group_by("policy")}
    assert rewards["Oz"] == {0.0}
    assert any(reward != 0 for reward in rewards["cheap"] | rewards["falters"])


def test_the_same_request_again_gives_the_same_file(logged: Logged) -> None:
    before = logged.file.read_bytes()
    logged.file.unlink()
    again = logged.user.harness(*logged.words, code=0)
    assert again.computed == 0 and logged.file.read_bytes() == before
    assert f"features and decisions in {logged.file}" in again.err
    assert "ignored" not in logged.answer.err + again.err, "the file belongs there"


def test_a_run_without_decisions_logs_nothing(logged: Logged, tmp_path: Path) -> None:
    user = User(logged.user.cache, tmp_path / "results")
    words = ("--suite", TINY, "--benchmark", "tally", "--target", "x86-64")
    answer = user.harness("run", *words, "--policy", "Os", "--log-features", code=0)
    assert "features and decisions" not in answer.err
    assert not list(user.results.glob("*.trajectories.parquet"))


def test_without_the_reference_there_is_no_reward(alone: User) -> None:
    (file,) = alone.results.glob("*.trajectories.parquet")
    frame = polars.read_parquet(file)
    assert frame.height and set(frame["policy"]) == {"cheap"}
    assert frame["value"].is_not_null().all()
    assert frame["reference"].is_null().all() and frame["reward"].is_null().all()


# -- cells by hand


def visit(inline: bool, who: Who = Who.POLICY) -> Visit:
    """The only one of its module."""
    return Visit(0, Site("main", "twice", 0, inline, who), tuple(range(len(STATIC_FEATURES))), inline, not inline)


@pytest.mark.parametrize(
    ("value", "reference", "reward"),
    [(90.0, 100.0, 0.1), (100.0, 100.0, 0.0), (150.0, 100.0, -0.5), (None, 100.0, None), (90.0, None, None),
     (90.0, 0.0, None)],
)  # fmt: skip
def test_rewards(value: float | None, reference: float | None, reward: float | None, tmp_path: Path) -> None:
    cell = Cell(make_row(), [visit(True)], "size.alloc", value, reference)
    assert cell.reward == (None if reward is None else pytest.approx(reward))
    path = tmp_path / "rows.parquet"
    assert write_trajectories(path, [cell]) == path
    (row,) = polars.read_parquet(path).iter_rows(named=True)
    assert (row["value"], row["reference"], row["reward"]) == (value, reference, cell.reward)
    assert (row["inlining_decision"], row["inlining_default"], row["replaced"]) == (1, 0, False)
    assert list(tmp_path.iterdir()) == [path]


def test_no_decisions_no_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    empty = Cell(make_row(), [], "size.alloc", 1.0, 1.0)
    assert write_trajectories(path, []) is None and write_trajectories(path, [empty]) is None
    assert not list(tmp_path.iterdir())
    assert write_trajectories(path, [empty, Cell(make_row(), [visit(False)], "size.alloc", 1.0, 1.0)])
    assert polars.read_parquet(path).height == 1
