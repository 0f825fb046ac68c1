"""The Python door: the documented example runs, and its numbers are those of other tools and of the command line."""

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest

import harness
from harness.base.digest import digest_file
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.policy import load_policy
from harness.record import read_run, run_files
from harness.timing.request import TimingRequest
from harness.toolchain import Toolchain
from tests.drive import ROOT, SIZE_METRICS, TINY, User, write_policy
from tests.problems.programs.test_timing import suite

COLUMNS = ["benchmark", "target", "policy", "seed", "copy", "outcome", "detail"]
DIGESTS = ["frozen_digest", "decisions_digest", "object_digest"]


def test_the_documented_example(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/python.md, as it stands there."""
    example, _ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    frame = names["frame"]
    assert list(frame.columns) == [*COLUMNS, *DIGESTS, "size.alloc", "size.text"]
    assert [*zip(frame["benchmark"], frame["target"], strict=True)] == [
        (f"cbench/{name}", target) for name in ("crc32", "sha") for target in ("aarch64", "x86-64")
    ]
    assert set(frame["outcome"]) == {"ok"} and set(frame["policy"]) == {"pipeline-o2"}
    assert (frame["size.alloc"] >= frame["size.text"]).all() and (frame["size.text"] > 500).all()
    assert "cbench/crc32" in capsys.readouterr().out


def test_sizes_are_those_of_other_tools(toolchain: Toolchain) -> None:
    """``size`` counts read-only and writable loaded sections; their sum is size.alloc."""
    frame = harness.evaluate("O2", f"{TINY}", ["x86-64", "aarch64"])
    objects = {digest_file(path): path for path in cache_root().glob("objects/*/*/program.o")}
    assert len(frame) == 6
    for row in frame.to_dict("records"):
        path = objects[row["object_digest"]]
        berkeley = subprocess.run([toolchain.tool("llvm-size"), path], capture_output=True, text=True, check=True)
        text, data, _bss, *_ = berkeley.stdout.splitlines()[1].split()
        assert row["size.alloc"] == int(text) + int(data)
        sections = subprocess.run([toolchain.tool("llvm-size"), "-A", path], capture_output=True, text=True, check=True)
        sizes = [line.split() for line in sections.stdout.splitlines() if line.startswith(".text")]
        assert row["size.text"] == sum(int(size) for _, size, *_ in sizes)
        assert row["compile.cpu"] > 0 and row["ir.instructions"] > 0


def test_what_failed_has_no_numbers(tmp_path: Path) -> None:
    """Absence is NaN, never zero; what was reached before the failure is told."""
    native = write_policy(tmp_path / "native-only", "mem2reg", targets='["x86-64"]')
    frame = harness.evaluate(str(native), f"{TINY}/glob", ["x86-64", "aarch64"])
    by_target = {row["target"]: row for row in frame.to_dict("records")}
    assert by_target["x86-64"]["outcome"] == "ok" and by_target["x86-64"]["size.alloc"] > 0
    assert by_target["aarch64"]["outcome"] == "unsupported"
    assert all(math.isnan(by_target["aarch64"][name]) for name in SIZE_METRICS)
    crash = write_policy(tmp_path / "stops", "instcombine<max-iterations=0>")
    (row,) = harness.evaluate(str(crash), f"{TINY}/glob").to_dict("records")
    assert (row["outcome"], row["object_digest"]) == ("compile-error", None)
    assert "did not reach a fixpoint" in row["detail"] and len(row["decisions_digest"]) == 64
    assert all(math.isnan(row[name]) for name in SIZE_METRICS)


def test_a_loaded_policy_and_chosen_metrics(tmp_path: Path) -> None:
    policy = load_policy(str(write_policy(tmp_path / "mine", "mem2reg simplifycfg")))
    frame = harness.evaluate(policy, [f"{TINY}/tally", f"{TINY}/glob"], metrics=["ir.instructions"], jobs=1)
    assert list(frame.columns) == [*COLUMNS, *DIGESTS, "ir.instructions"]
    assert list(frame["benchmark"]) == ["tiny/glob", "tiny/tally"]
    assert pandas.api.types.is_integer_dtype(frame["ir.instructions"])


def test_copies_have_rows_of_their_own() -> None:
    """What is said of the module is of the module."""
    (alone,) = harness.evaluate("Oz", f"{TINY}/glob", metrics=["size.alloc"]).to_dict("records")
    module, *copies = harness.evaluate("Oz", f"{TINY}/glob", metrics=["size.alloc"], perturb=True).to_dict("records")
    assert module == alone and module["copy"] == 0
    assert [row["copy"] for row in copies] == [*range(1, len(copies) + 1)] and copies
    assert {row["outcome"] for row in copies} == {"ok"} and all(row["size.alloc"] > 0 for row in copies)
    assert len({row["frozen_digest"] for row in (module, *copies)}) == 1 + len(copies)


def test_the_command_line_says_the_same(tiny: User) -> None:
    frame = harness.evaluate("Os", str(TINY), ["x86-64", "aarch64"], ["size.alloc", "size.text"])
    told = {
        (r.benchmark, r.target.value, r.metric): (r.value, r.object_digest) for r in tiny.rows() if r.policy == "Os"
    }
    for row in frame.to_dict("records"):
        for metric in ("size.alloc", "size.text"):
            name = row["benchmark"].removeprefix("tiny/")
            assert told[name, row["target"], metric] == (row[metric], row["object_digest"])


def test_it_is_recorded_only_where_it_is_asked_to(tmp_path: Path) -> None:
    indices = set(cache_root().glob("index/*.duckdb"))
    harness.evaluate("Oz", f"{TINY}/glob")
    assert set(cache_root().glob("index/*.duckdb")) == indices, "an index of a folder that is gone"
    user = User(cache_root(), tmp_path / "results")
    harness.evaluate("Oz", f"{TINY}/glob", results=user.results)
    (run,) = user.runs()
    assert {row.benchmark for row in run.rows} == {"glob"} and run.header.command[0] == "evaluate"
    assert [row["strict"] for row in user.json("leaderboard")] == [1]


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("Ozz", "cbench"), "unknown policy 'Ozz'"),
        (("Oz", "cbnech/crc32"), "unknown suite 'cbnech'"),
        (("Oz", ["cbench/crc"]), "no benchmark 'crc'"),
        (("Oz", ["cbench/crc32", "other/crc32"]), "benchmarks of several suites: cbench, other"),
        (("Oz", ["cbench", "cbench/crc32"]), "a whole suite and single benchmarks"),
        (("Oz", []), "no benchmarks were named"),
        (("Oz", "cbench", "arm64"), "unknown target 'arm64'"),
        (("Oz", "cbench", "x86-64", ["bytes"]), "unknown metric 'bytes'"),
        (("Oz", "nowhere/suite.toml"), "no such suite file"),
    ],
)
def test_names_that_mean_nothing(arguments: tuple[Any, ...], fragment: str) -> None:
    with pytest.raises(UsageError, match=fragment):
        harness.evaluate(*arguments)


def test_a_missing_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARNESS_LLVM", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="there is no clang here"):
        harness.evaluate("Oz", "cbench/crc32")


@pytest.mark.parametrize("what", ["import harness", "from harness.cli import main", "from harness.record import Row"])
def test_importing_it_is_light(what: str) -> None:
    """No numerical library, no database, no page before someone needs one."""
    heavy = ("pandas", "numpy", "polars", "streamlit", "plotly", "duckdb", "ray", "torch", "onnx", "scipy", "ortools")
    script = f"{what}\nimport sys\nprint(*sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == ""


def test_track_speed_and_every_metric() -> None:
    frame = harness.evaluate("pbqp", f"{TINY}/tally", ["x86-64", "aarch64"], "all", track="speed", jobs=2)
    assert list(frame["outcome"]) == ["ok", "ok"]
    assert set(frame["policy"]) == {"pbqp"}, "not the references, which would be timed beside it"
    assert (frame["instructions"] > 100_000).all() and (frame["mca.cycles"] > 100).all()
    other = harness.evaluate("pbqp", f"{TINY}/tally", metrics=["loads", "mca.cycles@cray-1"], track="speed", jobs=1)
    assert other["loads"][0] == frame[frame["target"] == "x86-64"]["loads"].iloc[0]
    assert math.isnan(other["mca.cycles@cray-1"][0])


@pytest.mark.slow
def test_run_time_is_that_of_the_policy_itself(tmp_path: Path) -> None:
    made = suite(tmp_path / "made", "none")
    timing = TimingRequest(budget=6, precision=0.2)
    frame = harness.evaluate("basic", f"{made}/none", "x86-64", "runtime.cpu", track="speed", timing=timing, jobs=2,
                             results=tmp_path / "results")  # fmt: skip
    (run,) = (read_run(path) for path in run_files(tmp_path / "results")[0])
    values = {row.policy: row.value for row in run.rows if row.metric == "runtime.cpu"}
    assert set(values) == {"basic", "greedy", "pbqp"}
    assert list(frame["policy"]) == ["basic"]
    assert frame["runtime.cpu"][0] == values["basic"]
