"""Track speed from the command line: its baselines, its metrics, its three references, and rows of functions."""

import json
import math
from collections import defaultdict
from pathlib import Path

import polars
import pytest

from harness.base.vocabulary import SPEED, Outcome, Target
from harness.basic_blocks.profile import OUTSIDE
from harness.measure import Need, metrics_of
from harness.record import Row
from harness.record.runfile import functions_file, run_files
from harness.toolchain import Toolchain
from tests.drive import SIZE_METRICS, TINY, User, write_policy

BASELINES = {"greedy", "constant-priority", "basic", "pbqp", "fast", "fast-o0"}


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone who has run the track's baselines on the tiny suite, and clang's own -O3."""
    user = User.at(tmp_path_factory.mktemp("speed"))
    user.harness("run", "--suite", TINY, "--track", "speed", "--jobs", "2", code=0, timeout=300)
    user.harness("run", "--suite", TINY, "--track", "speed", "--policy", "O3", "--metric", "all", code=0, timeout=300)
    return user


def by_cell(user: User) -> dict[tuple[str, str, str], dict[str, Row]]:
    cells: dict[tuple[str, str, str], dict[str, Row]] = defaultdict(dict)
    for row in user.rows():
        cells[row.benchmark, row.target.value, row.policy][str(row.metric)] = row
    return cells


def number(row: Row) -> float:
    """The row's value, which must be there."""
    assert row.value is not None
    return row.value


def test_every_baseline_of_the_track_has_every_metric(runner: User, toolchain: Toolchain) -> None:
    """On x86-64, where programs are timed, modelled cycles of the timed CPU too."""
    modelled = {f"mca.cycles@{toolchain.host_cpu}"} if toolchain.host_cpu not in (None, "skylake-avx512") else set()
    cells = by_cell(runner)
    assert {policy for *_, policy in cells} == BASELINES | {"O3"}
    assert len(cells) == 3 * 2 * 7
    for (benchmark, target, policy), rows in cells.items():
        here = {n: metric for n, metric in metrics_of(SPEED).items() if Target(target) in metric.targets}
        here = {name: m for name, m in here.items() if Need.STEPS not in m.needs and not m.by_name}
        extra = modelled if target == "x86-64" else set()
        assert set(rows) == set(here) | extra, (benchmark, target, policy)
        assert all(row.outcome is Outcome.OK for row in rows.values())
        unmeasured = {name: row.detail for name, row in rows.items() if row.value is None}
        timed = [name for name, metric in here.items() if metric.timed]
        assert unmeasured == dict.fromkeys(timed, "the program has no workload of the kind 'time'")
        assert number(rows["accesses"]) == number(rows["loads"]) + number(rows["stores"])
        assert rows["instructions"].level.value == "O3"
        cpu = {"x86-64": "skylake-avx512", "aarch64": "neoverse-n1"}[target]
        assert rows["mca.cycles"].unit == f"{cpu} cycles"


def test_greedy_is_clangs_own_o3_and_the_others_are_not(runner: User) -> None:
    cells = by_cell(runner)
    for (benchmark, target, policy), rows in cells.items():
        mine = rows["instructions"]
        reference = cells[benchmark, target, "O3"]["instructions"]
        if policy == "greedy":
            assert (mine.object_digest, mine.value) == (reference.object_digest, reference.value)
        elif policy in ("fast", "fast-o0"):
            assert mine.object_digest != reference.object_digest
            if benchmark != "calc":  # nearly all of calc runs in the C++ library
                assert number(mine) > number(reference)


def test_standings_against_each_of_the_three(runner: User) -> None:
    listed = runner.json("leaderboard", "--track", "speed")
    tables: dict[tuple[str, str], dict[str, dict[str, float]]] = defaultdict(dict)
    for row in listed:
        tables[row["target"], row["reference"]][row["policy"]] = row
    assert set(tables) == {(target, name) for target in ("x86-64", "aarch64") for name in ("greedy", "basic", "pbqp")}
    for (target, reference), table in tables.items():
        assert table[reference]["strict"] == 1.0
        for policy, row in table.items():
            back = tables[target, "greedy"][reference]["strict"]
            assert math.isclose(row["strict"], tables[target, "greedy"][policy]["strict"] / back, rel_tol=1e-12)
    one = runner.json("leaderboard", "--track", "speed", "--reference", "basic", "--metric", "mca.cycles")
    assert {row["reference"] for row in one} == {"basic"}


def test_spills_have_standings_where_some_are_zero(runner: User) -> None:
    """Of the values plus one: a program without a spill counts."""
    rows = {key: number(cells["spills"]) for key, cells in by_cell(runner).items()}
    assert 0 in rows.values()
    listed = runner.json(
        "leaderboard", "--track", "speed", "--metric", "spills", "--reference", "greedy", "--split", "all"
    )
    for row in listed:
        ratios = [
            (rows[name, row["target"], "greedy"] + 1) / (rows[name, row["target"], row["policy"]] + 1)
            for name in ("tally", "glob", "calc")
        ]
        assert math.isclose(row["strict"], math.exp(sum(map(math.log, ratios)) / 3), rel_tol=1e-12)
        assert row["completed"] == 3


def test_compare_shows_each_table_once(runner: User) -> None:
    shown = runner.harness("compare", "greedy", "fast", "--track", "speed", code=0).out
    assert shown.count("greedy against fast") == 2


def test_rows_of_functions_lie_beside_the_run(runner: User) -> None:
    run = next(path for path in run_files(runner.results)[0] if len(path.read_text().splitlines()) > 300)
    frame = polars.read_parquet(functions_file(run))
    assert set(frame["run"]) == {run.stem}
    cells = by_cell(runner)
    sums = frame.group_by("benchmark", "target", "policy", "metric").agg(polars.col("value").sum())
    checked = 0
    for benchmark, target, policy, metric, total in sums.iter_rows():
        value = cells[benchmark, target, policy][metric].value
        assert value is not None and math.isclose(total, value, rel_tol=1e-6), (benchmark, policy, metric)
        checked += 1
    assert checked > 3 * 2 * 5 * 5
    functions = set(frame.filter(polars.col("metric") == "instructions")["function"])
    assert {"main", OUTSIDE} <= functions
    assert not runner.harness("leaderboard", code=0).err.count("ignored")


def test_the_same_again_computes_nothing(runner: User) -> None:
    again = runner.harness("run", "--suite", TINY, "--track", "speed", code=0)
    assert again.computed == 0
    assert "nothing new" in again.err


def test_any_policy_with_any_metric(runner: User, tmp_path: Path) -> None:
    """A pass list on track size, counted; a level on track speed, sized; metrics added one run after the other."""
    passes = write_policy(tmp_path / "few", "mem2reg simplifycfg instcombine inline globaldce")
    user = User(runner.cache, tmp_path / "results")
    words = ("--suite", TINY, "--policy", f"Oz,{passes}", "--benchmark", "glob", "--target", "x86-64")
    user.harness("run", *words, code=0)
    assert {row.metric for row in user.rows()} == set(SIZE_METRICS)
    user.harness("run", *words, "--metric", "instructions,mca.cycles@znver4,spills", code=0)
    values = {(row.policy, row.metric): row.value for row in user.rows()}
    for policy in ("Oz", "few"):
        for name in ("instructions", "mca.cycles@znver4", "spills", "size.alloc"):
            assert values[policy, name] is not None
    again = user.harness("run", *words, "--metric", "all", "--json", code=0)
    assert again.computed == 2
    assert json.loads(again.out)
    assert user.harness("run", *words, "--metric", "spills,size.text", code=0).computed == 0


def test_a_metric_that_cannot_be_taken_is_remarked_on(tmp_path: Path, runner: User) -> None:
    user = User(runner.cache, tmp_path / "results")
    words = ("--suite", TINY, "--benchmark", "glob", "--track", "speed", "--policy", "greedy", "--target", "x86-64")
    answer = user.harness("run", *words, "--metric", "instructions,mca.cycles@cray-1", code=0)
    assert "llvm-mca knows no x86-64 CPU 'cray-1'" in answer.err
    (row,) = (row for row in user.rows() if row.metric == "mca.cycles@cray-1")
    assert row.value is None and row.outcome is Outcome.OK
    assert row.detail == "llvm-mca knows no x86-64 CPU 'cray-1'"
    user.harness("leaderboard", "--metric", "mca.cycles@cray-1").refused(2, "no rows of the reference policy 'greedy'")
