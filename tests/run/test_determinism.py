"""The same request gives the same modules, decisions, objects and sizes, wherever and however often it is made."""

import json
import math
import shutil
from pathlib import Path

import pytest

from harness.measure import all_metrics
from harness.record import Row
from harness.record.rows import SCHEMA
from tests.drive import ROOT, SIZE_METRICS, TINY, User, write_policy

DIGESTS = ("frozen_digest", "decisions_digest", "object_digest", "outcome")
Fact = tuple[object, ...]


def facts(rows: list[Row]) -> set[Fact]:
    """All that must not depend on where, when and with how many workers a cell is computed."""
    repeat = {name for name, metric in all_metrics().items() if metric.deterministic}
    return {
        (row.benchmark, row.target, row.policy, row.metric)
        + (row.value if row.metric in repeat else None, *(getattr(row, name) for name in DIGESTS))
        for row in rows
    }


@pytest.mark.slow
def test_two_empty_caches_in_different_folders(tmp_path: Path) -> None:
    """The suite elsewhere, another environment, working directory, number of workers: equal modules, objects, keys."""
    passes = write_policy(tmp_path / "few", "mem2reg simplifycfg instcombine inline globaldce")
    words = ("--policy", f"Oz,{passes}")
    elsewhere = shutil.copytree(TINY.parent, tmp_path / "copies" / "another name")
    here, there = User.at(tmp_path / "here"), User.at(tmp_path / "a folder with a longer name" / "and depth")
    here.harness("run", "--suite", TINY, *words, "--jobs", "1", code=0)
    home = tmp_path / "home"
    home.mkdir()
    other = {"HOME": str(home), "TMPDIR": str(home), "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "COLUMNS": "40"}
    other |= {"CPATH": "/nowhere", "SOURCE_DATE_EPOCH": "1", "CCC_OVERRIDE_OPTIONS": "+-O3"}  # clang reads these
    there.harness("run", "--suite", elsewhere, *words, "--jobs", "2", code=0, cwd=home, **other)
    assert len(facts(here.rows())) == 3 * 2 * 2 * len(SIZE_METRICS)
    assert facts(here.rows()) == facts(there.rows())
    assert {row.cell for row in here.rows()} == {row.cell for row in there.rows()}
    (one,), (other,) = here.runs(), there.runs()
    assert one.header.benchmarks == other.header.benchmarks
    assert (one.header.jobs, other.header.jobs) == (1, 2)


def test_the_same_command_again_computes_nothing(tiny: User) -> None:
    before = {path: path.read_bytes() for path in tiny.results.rglob("*") if path.is_file()}
    standings = tiny.harness("leaderboard", "--json", code=0).out
    again = tiny.harness("run", "--suite", TINY, "--policy", "O0,Os,Oz", "--json", code=0)
    assert again.computed == 0
    assert "nothing new" in again.err
    assert {path: path.read_bytes() for path in tiny.results.rglob("*") if path.is_file()} == before
    assert again.out == standings


def test_a_subset_and_another_order_come_from_the_cache_too(tiny: User, visitor: User) -> None:
    part = visitor.harness("run", "--suite", TINY, "--policy", "Oz,O0", "--benchmark", "tally,glob", code=0)
    assert part.computed == 0
    wanted = {row for row in facts(tiny.rows()) if row[0] != "calc" and row[2] != "Os"}
    assert facts(visitor.rows()) == wanted


def test_oz_against_itself_is_exactly_1(tiny: User) -> None:
    own = [row for row in tiny.json("leaderboard", "--split", "all") if row["policy"] == "Oz"]
    assert [row["target"] for row in own] == ["x86-64", "aarch64"]
    for row in own:
        assert (row["strict"], row["matched"], row["coverage"], row["low"], row["high"]) == (1, 1, 1, 1, 1)


def test_a_policy_that_decides_like_clang_has_clangs_object(tiny: User) -> None:
    """``compare`` says so, and its ratio is exactly 1."""
    rows = tiny.json("compare", "Oz", "Oz", "--split", "all")
    assert {row["benchmark"] for row in rows} == {"calc", "glob", "tally"}
    assert all(row["ratio"] == 1 and row["same_object"] for row in rows)


@pytest.mark.parametrize("target", ["x86-64", "aarch64"])
def test_standings_follow_from_the_rows(tiny: User, target: str) -> None:
    """The table that a user sees, by hand from the rows: geometric mean of Oz / policy."""
    size = {(r.benchmark, r.policy): r.value for r in tiny.rows() if r.metric == "size.alloc" and r.target == target}
    for row in tiny.json("leaderboard", "--target", target, "--split", "all"):
        ratios = [(size[name, "Oz"] or 0) / (size[name, row["policy"]] or 0) for name in ("calc", "glob", "tally")]
        assert row["strict"] == pytest.approx(math.prod(ratios) ** (1 / 3), rel=1e-12)
        assert (row["matched"], row["coverage"]) == (pytest.approx(row["strict"], rel=1e-12), 1)


def test_every_row_says_what_made_it(tiny: User) -> None:
    """Provenance: whoever reads the file alone can tell compiler, machine, command and program."""
    (run,) = tiny.runs()
    assert run.header.command[:3] == ("run", "--suite", str(TINY))
    assert (run.header.suite, run.header.suite_version, run.header.schema_version) == ("tiny", "1", SCHEMA)
    assert run.header.llvm_version.startswith("22.") and len(run.header.llvm) == 64
    assert set(run.header.runtime) == {"x86-64", "aarch64"}
    assert run.header.host.cores > 0 and run.header.host.cpu and run.header.host.kernel
    assert run.header.started < run.header.finished
    assert {name: fact.split.value for name, fact in run.header.benchmarks.items()} == {
        "tally": "train", "glob": "test", "calc": "train",
    }  # fmt: skip
    for line in run.path.read_text().splitlines()[1:]:
        row = json.loads(line)
        assert (tiny.results / "decisions" / f"{row['decisions_digest']}.zst").is_file()
    assert str(ROOT) not in "".join(run.path.read_text().splitlines()[1:]), (
        "a row that depends on the checkout's folder"
    )
