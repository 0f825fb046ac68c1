"""A results folder that a stranger filled: names that are patterns, links, pipes, forgeries and short names."""

import hashlib
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars
import pytest
import zstandard

from harness.apply.decisions import Decisions
from harness.base.digest import digest_bytes
from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.base.paths import ROOT
from harness.base.vocabulary import Level
from harness.problems.inlining.trajectories.table import read_trajectories
from harness.rank.doubts import doubts
from harness.rank.question import questions
from harness.record import open_index, read_run, run_files
from harness.record.decisions import load_decisions, store_decisions
from harness.record.find import find_run
from harness.record.functions import write_functions
from tests.rows import LLVM, older_file, row, run_file, written_by_another

ODD = ["h[1]", "h*", "h?", "{a,b}", "it's", 'a"b', "line\nfeed", "**", "h[!x]", "$HOME", "%41", "https:"]
"""Names of folders that patterns, quotes or addresses could be read in."""


def values(results: Path) -> list[float]:
    with open_index(results, warn=False) as index:
        return [value for (value,) in index.execute("SELECT value FROM rows ORDER BY value").fetchall()]


@pytest.mark.parametrize("name", ODD)
def test_folders_are_no_patterns(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of results nor of the cache: what lies where the pattern would lead is not read."""
    results = tmp_path / name / "x"
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / f"cache {name}"))
    run = run_file(results, [row("one", "Oz", 100), row("one", "O2", 1 << 70)])
    for twin in ("h1", "hx", "a", "b", "hh"):  # of the same name, and with another number
        (tmp_path / twin / "x").mkdir(parents=True)
        (tmp_path / twin / "x" / run.name).write_bytes(run.read_bytes().replace(b'"value":100}', b'"value":7}'))
    if "?" in name:
        with pytest.raises(PrerequisiteError, match="in its name"):
            values(results)
        monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    assert values(results) == [100.0, float(1 << 70)]
    made = write_functions(run, read_run(run).rows, lambda _: {"size.alloc": {"main": 1, "üñ*[1]": 2.5}})
    assert made is not None and made.parent == results
    assert polars.read_parquet(made.read_bytes()).height == 4
    assert run_files(results) == ([run], [])


def test_names_of_runs_are_no_patterns(tmp_path: Path) -> None:
    """``[.]name`` beside a hidden twin with other rows: the first is checked, and a glob would read the second."""
    path = run_file(tmp_path, [row("one", "Oz", 100)])
    twin = written_by_another(run_file(tmp_path / "t", [row("one", "Oz", 7)]))
    shutil.copy(twin, tmp_path / f".{path.name}")
    odd = path.rename(tmp_path / f"[.]{path.name}")
    shutil.rmtree(tmp_path / "t")
    assert run_files(tmp_path) == ([], [odd])
    assert values(tmp_path) == []
    with pytest.raises(UsageError, match="not a run file"):
        find_run(str(odd), tmp_path)


@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "device", "folder"])
def test_what_is_called_like_a_run_and_is_no_file(kind: str, tmp_path: Path) -> None:
    path = run_file(tmp_path / "away", [row()])
    results = tmp_path / "results"
    results.mkdir()
    odd = results / path.name
    if kind == "fifo":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
        assert run_files(results) == ([], [])
        return
    else:
        odd.symlink_to({"link": path, "dangling": tmp_path / "none", "device": Path("/dev/zero")}[kind])
    with pytest.raises(UsageError) as raised:
        open_index(results)
    assert raised.value.where == str(odd)
    with pytest.raises(UsageError):
        find_run(str(odd), results)


def test_folders_are_not_followed_out_or_into_hiding(tmp_path: Path) -> None:
    run_file(tmp_path / "away", [row()])
    results = tmp_path / "results"
    run_file(results / ".hidden", [row()])
    (results / "linked").symlink_to(tmp_path / "away")
    (results / "round").symlink_to(results)
    assert run_files(results)[0] == []


def test_a_run_that_is_there_twice_counts_for_nothing(tmp_path: Path) -> None:
    path = run_file(tmp_path, [row()])
    (tmp_path / "again").mkdir()
    shutil.copy(path, tmp_path / "again")
    with pytest.raises(UsageError, match="the run is here twice"):
        open_index(tmp_path)


def test_a_run_from_the_future_does_not_win_for_ever(tmp_path: Path) -> None:
    late = run_file(tmp_path, [row()], started="2999-01-01T00:00:00+00:00", finished="2999-01-01T00:00:00+00:00")
    with pytest.raises(UsageError, match="by this machine's clock") as raised:
        open_index(tmp_path)
    assert raised.value.where == str(late) and "set the clock" in (raised.value.hint or "")
    late.unlink()
    soon = (datetime.now(UTC) + timedelta(hours=3)).isoformat(timespec="seconds")  # another's clock is a little ahead
    run_file(tmp_path, [row()], finished=soon)
    assert values(tmp_path) == [100.0]


def test_a_file_of_the_new_schema_needs_the_long_name(tmp_path: Path) -> None:
    path = run_file(tmp_path, [row()])
    fields = path.read_bytes().replace(path.stem.encode(), path.stem[:-20].encode())
    path.unlink()
    short = tmp_path / f"{path.stem[:-20]}.jsonl"
    short.write_bytes(fields)
    with pytest.raises(UsageError, match="names of schema 8 end in 32 digits"):
        read_run(short)


def said(results: Path) -> list[str]:
    with open_index(results) as index:
        return doubts(index, questions(index))


def test_a_short_name_is_told_unless_its_sum_is_there(tmp_path: Path) -> None:
    """Whoever writes the old schema on purpose is seen too."""
    path = older_file(tmp_path, [row()], 5)
    assert [line for line in said(tmp_path) if "48 bits" in line and path.stem in line]
    sums = tmp_path / "SHA256SUMS"
    sums.write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    assert said(tmp_path) == []
    sums.write_text(f"{'0' * 64}  {path.name}\n")
    with pytest.raises(UsageError, match="another file of this name"):
        open_index(tmp_path)
    for text in ("nonsense\n", f"{'0' * 64}  {path.name}\n" * 2, f"{'0' * 64}  ../{path.name}\n"):
        sums.write_text(text)
        with pytest.raises(UsageError, match="not a line of sha256sum"):
            open_index(tmp_path)


def test_the_runs_that_come_with_the_harness_are_pinned() -> None:
    runs, others = run_files(ROOT / "results")
    assert runs and others == []
    assert not any(read_run(path).unpinned for path in runs)


def test_runs_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "Oz", 2.0, metric="compile.cpu")])
    assert said(tmp_path) == []
    later = {"finished": "2026-02-01T00:00:00+00:00"}
    run_file(tmp_path, [row("one", "Oz", 25), row("one", "Oz", 3.0, metric="compile.cpu")], **later)
    (line,) = said(tmp_path)
    assert line.startswith("contradictory values recorded for made/one, x86-64, Oz, size.alloc: 100 and 25 (runs made-")


# --- decisions

WHOLE = Decisions("passes", Level.OZ, {"passes": ["sroa"]})


def bomb(size: int) -> bytes:
    """Many bytes in few, which say how many they are, or do not."""
    return zstandard.ZstdCompressor(level=19).compress(b"[" * size)


@pytest.mark.parametrize("kind", ["bomb", "lying bomb", "endless window", "deep", "link", "fifo", "folder"])
def test_decisions_that_harm_are_refused(kind: str, tmp_path: Path) -> None:
    content = b"[" * 200_000 if kind == "deep" else WHOLE.content
    digest = digest_bytes(content)
    path = tmp_path / "decisions" / f"{digest}.zst"
    path.parent.mkdir()
    if kind == "bomb":
        path.write_bytes(bomb(100 << 20))
    elif kind == "lying bomb":  # its header promises 2⁶² bytes
        path.write_bytes(b"\x28\xb5\x2f\xfd\xe0" + (1 << 62).to_bytes(8, "little") + b"\x01\x00\x00")
    elif kind == "endless window":
        path.write_bytes(b"\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00")
    elif kind == "deep":
        path.write_bytes(zstandard.compress(content))
    elif kind == "link":
        (tmp_path / "other").write_bytes(zstandard.compress(content))
        path.symlink_to(tmp_path / "other")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(UsageError) as raised:
        load_decisions(tmp_path, digest)
    assert raised.value.where == str(path)


def test_decisions_that_lie_there_already_are_checked(tmp_path: Path) -> None:
    """A run keeps its own in the place of another's file of that name, and follows no link."""
    path = tmp_path / "decisions" / f"{WHOLE.digest}.zst"
    path.parent.mkdir()
    target = tmp_path / "mine"
    target.write_text("mine")
    path.symlink_to(target)
    assert store_decisions(tmp_path, WHOLE.content) == WHOLE.digest
    assert load_decisions(tmp_path, WHOLE.digest) == WHOLE
    path.write_bytes(b"something else")
    store_decisions(tmp_path, WHOLE.content)
    assert load_decisions(tmp_path, WHOLE.digest) == WHOLE
    assert target.read_text() == "mine"
    shutil.rmtree(path.parent)
    path.parent.symlink_to(tmp_path)
    with pytest.raises(UsageError, match="a link"):
        store_decisions(tmp_path, WHOLE.content)


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing", b"\x00" * 1000])
def test_trajectories_that_are_none_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "made-size-0123.trajectories.parquet"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a file of trajectories"):
        read_trajectories(path)
    polars.DataFrame({"cell": [1]}).write_parquet(path)
    with pytest.raises(UsageError, match="its columns are others"):
        read_trajectories(path)


def test_a_thousand_lines_of_nothing_are_no_run(tmp_path: Path) -> None:
    path = run_file(tmp_path, [row(llvm=LLVM)])
    with pytest.raises(HarnessError, match="at most 128 MiB and 250,000 lines"):
        read_run(written_by_another(path, b"\n" * 300_000))
