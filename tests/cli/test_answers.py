"""What the commands print for people and for programs: tables, JSON, CSV, schemas, exported files."""

import csv
import io
import json
import math
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import polars
import pytest

from harness.base.paths import SUBMISSIONS
from harness.cli.schema import schemas
from harness.measure import all_metrics
from harness.policy import all_policies
from harness.record import open_index
from harness.suite.load import load_suite
from tests.browser.recorded import MARK, write_solved, write_timed
from tests.drive import ROOT, SIZE_METRICS, TINY, User

STANDING = {
    "suite", "target", "track", "class", "metric", "policy", "reference", "rank", "strict", "matched", "coverage",
    "low", "high", "rank_high", "these_low", "these_high", "wins", "ties", "unresolved", "losses", "mde", "pairs",
    "seeds", "reasons", "verdict", "p", "median", "clusters", "depends_on", "without",
}  # fmt: skip
"""What the documents promise of ``leaderboard --json``."""


def parsed(text: str) -> list[dict[str, str]]:
    """CSV with a header line."""
    return list(csv.DictReader(io.StringIO(text)))


def same(record: dict[str, Any], line: dict[str, str]) -> bool:
    """Whether a line of CSV says what a JSON object says."""
    shown = {name: "" if value is None else str(value) for name, value in record.items()}
    return shown == line


@pytest.mark.parametrize("metric", sorted(SIZE_METRICS))
def test_leaderboard(tiny: User, metric: str) -> None:
    words = ("leaderboard", "--metric", metric, "--split", "all")
    standings = tiny.json(*words)
    assert len(standings) == 2 * 3
    assert all(set(row) >= STANDING and row["metric"] == metric for row in standings)
    assert {(row["suite"], row["track"], row["class"], row["reference"]) for row in standings} == {
        ("tiny", "size", "fixed", "Oz")
    }
    for target in ("x86-64", "aarch64"):
        rows = [row for row in standings if row["target"] == target]
        judged = [row["wins"] + row["ties"] + row["unresolved"] + row["losses"] for row in rows]
        assert judged == [row["benchmarks"] for row in rows] == [3, 3, 3]
        if all_metrics()[metric].deterministic:
            assert {(row["rank"], row["rank_high"]) for row in rows} == {(1, 3)}, "3 programs order nobody"
            assert {row["verdict"] for row in rows} == {None, "not resolved"}
            said = ["3 clusters: from fewer than 6 nothing can be told"]
            assert all(row["reasons"] == said and row["these_low"] == row["these_high"] for row in rows)
        else:
            assert {row["rank"] for row in rows} == {None}, "times are not ranked"
            assert all(row["reasons"] == [all_metrics()[metric].not_ranked] for row in rows)
        strict = [row["strict"] for row in rows]
        compared = metric not in ("compile.cpu", "decide.cpu", "decide.wall")
        assert strict == sorted(strict, reverse=True) if compared else strict == [None] * 3
    lines = parsed(tiny.harness(*words, "--csv", code=0).out)
    assert all(same(record, line) for record, line in zip(standings, lines, strict=True))


def test_leaderboard_for_people(tiny: User) -> None:
    answer = tiny.harness("leaderboard", "--target", "x86-64", "--split", "all", code=0)
    title, heading, _, first, *_ = answer.out.strip().splitlines()
    assert title == "tiny · x86-64 · track size · size.alloc against Oz, 3 programs"
    columns = ["rank", "policy", "class", "verdict", "strict", "95", "%", "interval", "median", "matched", "covered"]
    columns += ["W/T/?/L", "MDE", "decide,", "s"]
    assert heading.split() == columns
    cells = ["1–3", "Oz", "fixed", "–", "1.0000", "1.0000", "–", "1.0000", "1.0000", "1.0000", "3/3", "0/3/0/0", "–"]
    assert first.split() == [*cells, "0.00"], "a level takes no time to decide"
    assert answer.out.splitlines()[-1] == "3 clusters: from fewer than 6 nothing can be told"
    assert max(map(len, answer.out.splitlines())) <= 120
    times = tiny.harness("leaderboard", "--metric", "compile.cpu", "--target", "x86-64", code=0).out.splitlines()
    assert times[-1] == f"not ranked: {all_metrics()['compile.cpu'].not_ranked}"
    part = tiny.json("leaderboard", "--target", "x86-64")  # the test split
    assert {row["benchmarks"] for row in part} == {1} and {row["low"] for row in part} == {None}


def test_leaderboards_sql_gives_its_figures(tiny: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number can be reached by one query: the printed one. Strict is the mean of its column `counted`."""
    answer = tiny.harness("leaderboard", "--target", "aarch64", "--sql", code=0)
    monkeypatch.setenv("HARNESS_CACHE", str(tiny.cache))
    with open_index(tiny.results) as index:
        relation = index.sql(answer.out.replace(";", ""))
        found = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    shown = tiny.json("leaderboard", "--target", "aarch64")
    for row in shown:
        logs = [math.log(line["counted"]) for line in found if line["policy"] == row["policy"]]
        assert row["strict"] == pytest.approx(math.exp(math.fsum(logs) / len(logs)), rel=1e-12)


def test_compare(tiny: User) -> None:
    every = ("--target", "x86-64", "--split", "all")
    rows = tiny.json("compare", "Oz", "O0", *every)
    size = {(r.benchmark, r.policy): r.value for r in tiny.rows() if r.metric == "size.alloc" and r.target == "x86-64"}
    assert {row["benchmark"] for row in rows} == {"calc", "glob", "tally"}
    for row in rows:
        assert (row["a"], row["b"]) == (size[row["benchmark"], "Oz"], size[row["benchmark"], "O0"])
        assert row["ratio"] == row["b"] / row["a"]
        assert (row["verdict"], row["low"], row["high"], row["pairs"], row["mde"]) == ("better", None, None, None, None)
    far = [abs(math.log(row["ratio"])) for row in rows]
    assert far == sorted(far, reverse=True), "the largest gain of the first first"
    lines = parsed(tiny.harness("compare", "Oz", "O0", *every, "--csv", code=0).out)
    assert all(same(record, line) for record, line in zip(rows, lines, strict=True))
    table = tiny.harness("compare", "Oz", "O0", *every, code=0).out
    assert "over 3 of 3 programs: Oz is better on 3, O0 on 0, equal on 0\n" in table
    about = "tiny · x86-64 · track size · size.alloc (bytes): Oz against O0"
    assert table.strip().splitlines()[0] == f"{about}, 3 programs; above 1: Oz is better"
    part = tiny.harness("compare", "O0", "Oz", "--target", "x86-64", code=0).out
    assert f"{about[:-13]}O0 against Oz, 1 program, test split; above 1: O0 is better" in part
    backwards = [row["ratio"] for row in tiny.json("compare", "O0", "Oz", *every)]
    assert backwards == sorted(backwards, reverse=True), "what is best for the first first, though all is worse"
    assert "for programs like these; exact for these\n" in table
    assert "\n3 programs: from fewer than 6, nothing can be told of programs like these\n" in table
    assert table.count("▲ better") == 3


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone with recorded campaigns: a sound one, a marked one, one of another machine."""
    user = User.at(tmp_path_factory.mktemp("timed"))
    write_timed(user.results)
    return user


def test_leaderboard_of_run_time(timed: User) -> None:
    standings = timed.json("leaderboard", "--reference", "greedy")
    assert {(row["metric"], row["class"]) for row in standings} == {("runtime.cpu", "fixed"), ("runtime.cpu", "search")}
    ranks = {row["policy"]: (row["rank"], row["rank_high"]) for row in standings if row["class"] == "fixed"}
    assert ranks == {
        "latecomer": (None, None), "greedy": (1, 2), "pbqp": (1, 2), "basic": (3, 3), "fast": (4, 4), "fast-o0": (5, 5)
    }  # fmt: skip
    mark = f"timed only in a marked campaign: {MARK}"
    alone = ["the only entry of its class that is ranked"]
    assert {row["policy"]: row["reasons"] for row in standings if row["reasons"]} == {
        "latecomer": [mark], "seeker": alone
    }  # fmt: skip
    assert {row["pairs"] for row in standings} == {16, None}
    lines = parsed(timed.harness("leaderboard", "--reference", "greedy", "--csv", code=0).out)
    assert all(same(record, line) for record, line in zip(standings, lines, strict=True))
    out = timed.harness("leaderboard", "--reference", "greedy", code=0).out
    table, _, below = out.partition(
        "timed in one campaign on Invented CPU, 16 pairs a program (median); control 1.0004 "
    )
    assert max(map(len, table.splitlines())) <= 120
    dependent = [f"* {row['policy']}: depends on {row['depends_on']}: " for row in standings if row["depends_on"]]
    assert dependent, "some of these figures are one program's"
    lines = below.splitlines()
    assert all(line.startswith(said) for said, line in zip(dependent, lines[3:], strict=False))
    assert lines[:3] + lines[3 + len(dependent) :] == [
        "(99 % interval 0.9989 – 1.0019)",
        f"campaign 5d5d5d5d5d5d5d5d of 2026-04-05 is marked, nothing is ranked by it: {MARK}",
        "campaign 1a1a1a1a1a1a1a1a of 2026-04-01 on Old CPU is not used: another machine, workload or objects",
        f"latecomer: not ranked: {mark}",
        f"seeker: {alone[0]}",
    ]


def test_compare_of_run_time(timed: User) -> None:
    rows = timed.json("compare", "pbqp", "greedy")
    assert {row["verdict"] for row in rows} >= {"better", "worse", "equal"}
    assert all((row["ratio"], row["pairs"]) == (1, None) for row in rows if row["same_object"])
    assert all(row["low"] < row["ratio"] < row["high"] for row in rows if not row["same_object"])
    assert [row["ratio"] for row in rows] == sorted((row["ratio"] for row in rows), reverse=True)
    table = timed.harness("compare", "pbqp", "greedy", code=0).out
    assert "▲ better" in table and "▼ worse" in table and "= equal" in table and "same object" in table
    assert "pbqp and greedy cannot be told apart on programs like these (p = " in table
    assert "timed in one campaign on Invented CPU, 16 pairs a program (median); control 1.0004" in table
    never = timed.harness("compare", "latecomer", "basic", code=0).out
    assert never.count("never timed together: harness run --suite race --track speed --policy latecomer,basic\n") == 1
    assert never.count("never timed together\n") == 9


def test_policies(tiny: User) -> None:
    listed = tiny.json("policies")
    assert isinstance(listed, list)
    assert [row["name"] for row in listed] == [policy.name for policy in all_policies()]
    baselines = {
        "size": {"O0", "O1", "O2", "O3", "Os", "Oz", "oz-no-slp", "inline-never", "inline-always"},
        "speed": {"greedy", "basic", "pbqp", "fast", "fast-o0", "constant-priority", "spill-weight"},
    }
    for track, names in baselines.items():
        assert {row["name"] for row in listed if row["baseline"] and row["track"] == track} == names
    assert all(
        {"problem", "form", "class", "track", "targets", "trained_on", "licence", "description"} <= set(row)
        for row in listed
    )
    sizes = {row["name"]: row["bytes"] for row in listed}
    model, level = SUBMISSIONS / "clone" / "model.onnx", "Oz"
    assert (sizes["clone"], sizes[level]) == (model.stat().st_size, 0), "a level has no file"
    lines = parsed(tiny.harness("policies", "--csv", code=0).out)
    assert [line["name"] for line in lines] == [row["name"] for row in listed]
    table = tiny.harness("policies", code=0).out
    assert [line.split()[3] for line in table.splitlines() if line.startswith("evict-together ")] == ["eviction"]
    assert all(f"\n{row['name']} " in table for row in listed)


def test_suites(tiny: User) -> None:
    suites = tiny.json("suites")
    assert {suite["name"] for suite in suites} == {path.parent.name for path in ROOT.glob("suites/*/*.toml")}
    shown = tiny.json("suites", str(TINY))
    assert (shown["name"], shown["version"]) == ("tiny", "1")
    facts = {row["name"]: row for row in shown["benchmarks"]}
    assert list(facts) == ["tally", "glob", "calc"]
    assert facts["calc"]["language"] == "c++" and facts["calc"]["ir_instructions"] > 1000
    assert (facts["tally"]["files"], facts["tally"]["split"], facts["tally"]["workloads"]) == (
        2,
        "train",
        ["all", "small"],
    )
    assert facts["glob"]["lines"] == sum(
        1 for line in (TINY.parent / "src/glob/main.c").read_text().splitlines() if line.strip()
    )
    lines = parsed(tiny.harness("suites", TINY, "--csv", code=0).out)
    assert [line["name"] for line in lines] == list(facts)
    table = tiny.harness("suites", TINY, code=0).out
    assert all(name in table for name in facts)


def test_what_is_absent_from_a_suite_is_said(tiny: User) -> None:
    shown = tiny.json("suites", "cbench")
    assert {"bzip2", "crc32"} <= {row["name"] for row in shown["benchmarks"]}
    assert set(shown["absent"]) == {"ghostscript", "ispell"}


def test_dry_run_touches_nothing(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    words = ("run", "--suite", TINY, "--policy", "O0,Os,Oz", "--dry-run", "--jobs", "2")
    fresh = user.harness(*words, code=0).out
    assert "18 cells: 18 to do, 0 cached" in fresh
    assert "0 source trees to fetch, 18 modules to freeze" in fresh
    assert "about " in fresh
    assert not user.results.exists()
    made = {path.relative_to(user.cache).parts[0] for path in user.cache.rglob("*")}
    known = {".in-use", "tmp", "file-digests.json", "own-suites"}
    assert made <= known, "neither inputs nor modules, but where the suite lies"
    one = ("run", "--suite", TINY, "--benchmark", "glob")
    user.harness(*one, "--policy", "Oz", code=0)  # a cache of its own: other tests add to the shared one
    before = sorted(path for path in user.cache.rglob("*") if "index" not in path.parts)
    assert "2 cells: 0 to do, 2 cached" in user.harness(*one, "--policy", "Oz", "--dry-run", code=0).out
    more = user.harness(*one, "--policy", "Oz,O3", "--dry-run", code=0).out
    assert "4 cells: 2 to do, 2 cached" in more
    assert "2 modules to freeze" in more
    assert sorted(path for path in user.cache.rglob("*") if "index" not in path.parts) == before


def test_progress_and_result_go_to_different_places(tmp_path: Path) -> None:
    """Standard output is the table alone, so that it can be piped; the way there is on standard error."""
    user = User.at(tmp_path)
    words = ("run", "--suite", TINY, "--benchmark", "glob", "--policy", "Oz", "--target", "x86-64")
    answer = user.harness(*words, "--json", code=0)
    assert [row["policy"] for row in json.loads(answer.out)] == ["Oz"]
    assert "cells   100%" in answer.err and "left" in answer.err
    assert f"recorded in {user.results}" in answer.err


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_export_reads_back_equal(tiny: User, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"rows.{ending}"
    answer = tiny.harness("export", file, code=0)
    rows = tiny.rows()
    assert answer.err == f"{len(rows)} rows in {file}\n"
    readers = {"csv": polars.read_csv, "json": polars.read_json, "parquet": polars.read_parquet}
    frame = readers[ending](file)
    (run,) = tiny.runs()
    assert frame.height == len(rows)
    for name in (
        "benchmark",
        "target",
        "policy",
        "metric",
        "unit",
        "outcome",
        "object_digest",
        "cell",
        "seed",
        "value",
    ):
        told = [getattr(row, name) for row in rows]
        assert frame[name].to_list() == [getattr(value, "value", value) for value in told], name
    assert frame["line"].to_list() == list(range(2, len(rows) + 2))
    assert set(frame["run"]) == {run.header.run} and set(frame["suite"]) == {"tiny"}
    assert set(frame["llvm"]) == {run.header.llvm} and set(frame["cpu"]) == {run.header.host.cpu}


def test_exports_are_equal_to_one_another(tiny: User, tmp_path: Path) -> None:
    frames = {}
    for ending, read in (("csv", polars.read_csv), ("json", polars.read_json), ("parquet", polars.read_parquet)):
        tiny.harness("export", tmp_path / f"rows.{ending}", "--suite", "tiny", code=0)
        frames[ending] = read(tmp_path / f"rows.{ending}")
    columns = sorted(frames["parquet"].columns)
    told = {
        name: frame.select(polars.col(columns).cast(polars.String).fill_null("")).rows()
        for name, frame in frames.items()
    }
    assert len(columns) > 25
    assert told["csv"] == told["json"] == told["parquet"]


def own_files(name: str, recorded: Path) -> list[Any]:
    """The repository's own files of a schema, or what is in the run files of a folder, as values."""
    if name == "suite":
        return [tomllib.loads(path.read_text()) for path in [*ROOT.glob("suites/*/suite.toml"), TINY]]
    if name == "sharding":
        return [tomllib.loads(path.read_text()) for path in ROOT.glob("suites/*/sharding.toml")]
    if name == "submission":
        return [
            tomllib.loads(path.read_text())
            for where in ("baselines", "submissions")
            for path in ROOT.glob(f"{where}/*/*.toml")
        ]
    if name == "tree":
        return [json.loads((ROOT / "docs" / "tree.md").read_text().split("```json\n")[1].split("```")[0])]
    lines = [json.loads(line) for path in recorded.glob("*.jsonl") for line in path.read_text().splitlines()]
    if name == "row":
        return [line for line in lines if "cell" in line]
    return [line[name] for line in lines if list(line) == [name]]


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schemas_accept_what_there_is_and_refuse_other_things(
    tiny: User, timed: User, name: str, tmp_path: Path
) -> None:
    schema = json.loads(tiny.harness("schema", name, code=0).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    recorded = {"block": timed.results, "campaign": timed.results}.get(name, tiny.results)
    if name == "history":
        write_solved(recorded := tmp_path / "solved")
    values = own_files(name, recorded)
    assert values
    for value in values:
        assert not list(validator.iter_errors(value))
        assert list(validator.iter_errors({**value, "misspelt": 1}))
        for field in schema["required"]:
            assert list(validator.iter_errors({key: kept for key, kept in value.items() if key != field})), field


def test_schemas_are_listed(tiny: User) -> None:
    assert [line.split()[0] for line in tiny.harness("schema", code=0).out.splitlines()] == list(schemas())


def test_the_shipped_suites_load() -> None:
    """So that no test above passes for want of a suite."""
    assert len(load_suite("cbench").programs) >= 20
