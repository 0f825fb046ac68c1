"""The journal of an unfinished run: a finished cell survives everything, a torn one is forgotten."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.apply.decisions import Decisions
from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.base.vocabulary import Level
from harness.record.decisions import store_decisions
from harness.record.journal import Journal
from harness.record.recorder import Recorder
from harness.record.rows import Row
from harness.record.runfile import run_files
from tests.rows import row

PLAN = "0123456789abcdef" * 4


def entry(rows: list[Row]) -> str:
    """What a run calls the entry of these rows' cell."""
    return f"{rows[0].cell}:{rows[0].policy}"


FIRST = [row("one", "Oz", 10), row("one", "Oz", 3.5, metric="compile.cpu", unit="s")]
SECOND = [row("two", "O2", None, detail='killed: "quoted",\n2 lines, ünïcode')]
THIRD, LAST, THEIRS = [row("two", "Oz", 12)], [row("three", "Oz", 7)], [row("one", "Oz", 1)]
CELLS = {entry(rows): rows for rows in (FIRST, SECOND, THIRD)}


def written(folder: Path) -> bytes:
    """A journal of three cells, as a killed process leaves it."""
    journal = Journal(folder, PLAN)
    for cell, rows in CELLS.items():
        journal.add(cell, rows)
    journal.close(remove=False)
    return journal.path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return written(tmp_path_factory.mktemp("whole"))


def test_cells_are_kept_until_the_run_is_written(tmp_path: Path) -> None:
    assert written(tmp_path)
    journal = Journal(tmp_path, PLAN)
    assert journal.cells == CELLS
    assert list(journal.cells) == list(CELLS)
    journal.close(remove=True)
    assert list(tmp_path.iterdir()) == []
    empty = Journal(tmp_path, PLAN)
    assert empty.cells == {}
    empty.close(remove=True)


def test_a_cell_that_has_lost_its_decisions_is_done_again(tmp_path: Path) -> None:
    decisions = Decisions("passes", Level.OZ, {"passes": ["globaldce"], "dropped": []}).content
    rows = [row("one", "mine", 10, decisions_digest=store_decisions(tmp_path, decisions))]
    journal = Journal(tmp_path, PLAN)
    journal.add(entry(rows), rows)
    for there in (True, False):
        recorder = Recorder(journal, tmp_path)
        assert recorder.recall(entry(rows)) == there and recorder.rows == rows * there
        shutil.rmtree(tmp_path / "decisions", ignore_errors=True)
    journal.close(remove=True)


def test_every_cell_is_synced_and_what_the_cache_has_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the kernel was told to write is all that a test can see: no power goes out here."""
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (real(file), synced.append(os.fstat(file).st_size)))
    journal = Journal(tmp_path, PLAN)
    before = len(synced)
    journal.add(entry(FIRST), FIRST, sync=False)
    assert len(synced) == before
    journal.add(entry(SECOND), SECOND)
    assert len(synced) == before + 1
    assert synced[-1] == journal.path.stat().st_size
    journal.close(remove=False)
    again = Journal(tmp_path, PLAN)
    assert again.cells == {entry(FIRST): FIRST, entry(SECOND): SECOND}
    again.close(remove=True)


def test_a_cell_is_on_disk_when_it_is_added(tmp_path: Path) -> None:
    journal = Journal(tmp_path, PLAN)
    size = 0
    for cell, rows in CELLS.items():
        journal.add(cell, rows)
        content = journal.path.read_bytes()  # another reader of the file, no close in between
        assert content.endswith(b"\n") and len(content) > size
        size = len(content)
    journal.close(remove=False)


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_a_journal_cut_at_any_byte_keeps_the_whole_cells(step: int, whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / f".{PLAN[:16]}.journal"
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 3
    around = {end + offset for end in (0, *ends) for offset in (-1, 0, 1)} & set(range(len(whole) + 1))
    for length in sorted({*range(0, len(whole), step), *around}):
        path.write_bytes(whole[:length])
        journal = Journal(tmp_path, PLAN)
        kept = sum(end <= length for end in ends)
        assert list(journal.cells.items()) == list(CELLS.items())[:kept], length
        journal.close(remove=False)
        assert path.read_bytes() == whole[: [0, *ends][kept]]


@settings(max_examples=20)
@given(cut=st.floats(0, 1), tail=st.binary(max_size=40).filter(lambda tail: b"\n" not in tail))
def test_what_follows_a_torn_cell_is_written_whole(
    cut: float, tail: bytes, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    (folder / f".{PLAN[:16]}.journal").write_bytes(whole[: int(cut * len(whole))] + tail)
    journal = Journal(folder, PLAN)
    before = dict(journal.cells)
    assert list(before.items()) == list(CELLS.items())[: len(before)]
    journal.add(entry(LAST), LAST)
    journal.close(remove=False)
    again = Journal(folder, PLAN)
    assert again.cells == {**before, entry(LAST): LAST}
    again.close(remove=True)


DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"3", b"null", b"torn", DEEP, b"9" * 5000, b'{"cell": "x"}', b'{"rows":[]}', b'{"code":3,"entry":{}}'],
    ids=lambda line: line.decode()[:20],
)
def test_a_line_of_another_shape_is_named(line: bytes, whole: bytes, tmp_path: Path) -> None:
    first = whole[: whole.index(b"\n") + 1]
    (tmp_path / f".{PLAN[:16]}.journal").write_bytes(first + line + b"\n" + whole[len(first) :])
    refused(tmp_path, 2)


def refused(folder: Path, line: int) -> UsageError:
    """The error of a journal that nothing may be adopted from; it is still there, as it was."""
    path = folder / f".{PLAN[:16]}.journal"
    before = path.read_bytes()
    with pytest.raises(UsageError) as raised:
        Journal(folder, PLAN)
    assert raised.value.where == f"{path}, line {line}"
    assert raised.value.hint == "remove the file: its cells are done again, most of them from the cache"
    assert path.read_bytes() == before
    return raised.value


def edits(lines: list[bytes]) -> dict[str, tuple[int, list[bytes]]]:
    """What somebody may do to a killed run's journal, and the line that gives it away."""
    one, two, three = lines
    return {
        "a value": (1, [one.replace(b'"value":10', b'"value":9'), two, three]),
        "the last value": (3, [one, two, three.replace(b'"value":12', b'"value":11')]),
        "an outcome": (2, [one, two.replace(b"wrong-output", b"run-crash"), three]),
        "order": (1, [two, one, three]),
        "left out": (2, [one, three]),
        "twice": (3, [one, two, two, three]),
        "a code of one's own": (2, [one, two[:9] + b"0" * 64 + two[73:], three]),
        "without codes": (1, [json.dumps(json.loads(line)["entry"]).encode() for line in lines]),
    }


@pytest.mark.parametrize(
    "edit",
    ["a value", "the last value", "an outcome", "order", "left out", "twice", "a code of one's own", "without codes"],
)
def test_an_edited_journal_is_not_adopted(edit: str, whole: bytes, tmp_path: Path) -> None:
    line, lines = edits(whole.splitlines())[edit]
    (tmp_path / f".{PLAN[:16]}.journal").write_bytes(b"".join(one + b"\n" for one in lines))
    refused(tmp_path, line)


def test_a_journal_of_another_plan_or_key_is_not_adopted(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "f" * 64
    path = tmp_path / f".{other[:16]}.journal"
    path.write_bytes(whole)
    with pytest.raises(UsageError, match="its code does not fit"):
        Journal(tmp_path, other)
    (tmp_path / f".{PLAN[:16]}.journal").write_bytes(whole)
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    assert "journal.key" in refused(tmp_path, 1).message
    assert (tmp_path / "cache" / "journal.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 4096])
def test_a_key_that_is_none_is_named(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    key = tmp_path / "cache" / "journal.key"
    key.write_bytes(content)
    key.chmod(0o600)
    with pytest.raises(HarnessError) as raised:
        Journal(tmp_path, PLAN)
    assert raised.value.where == str(key)
    key.write_bytes(b"x" * 32)
    key.chmod(0o644)
    with pytest.raises(PrerequisiteError, match="not a key that only you can read"):
        Journal(tmp_path, PLAN)


def test_rows_of_another_cell_are_not_adopted(tmp_path: Path) -> None:
    """Even with a code that fits: a cell is adopted by its name."""
    journal = Journal(tmp_path, PLAN)
    journal.add("another:Oz", FIRST)
    journal.close(remove=False)
    assert "rows of another cell" in refused(tmp_path, 1).message


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
def test_a_journal_that_is_no_plain_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "results" / f".{PLAN[:16]}.journal"
    path.parent.mkdir()
    outside = tmp_path / "outside"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(outside)
        if kind == "link":
            outside.write_text("mine")
    with pytest.raises(HarnessError):
        Journal(path.parent, PLAN)
    assert not outside.exists() or outside.read_text() == "mine"


def test_plans_have_journals_of_their_own(tmp_path: Path) -> None:
    written(tmp_path)
    other = Journal(tmp_path, "f" * 64)
    assert other.cells == {}
    other.close(remove=True)
    mine = Journal(tmp_path, PLAN)
    assert mine.cells == CELLS
    mine.close(remove=True)


def test_a_journal_is_no_run_file(tmp_path: Path) -> None:
    written(tmp_path)
    assert run_files(tmp_path) == ([], [])


HOLD = """
import sys, time
from pathlib import Path
from harness.record.journal import Journal
sys.path.insert(0, sys.argv[3])
from tests.rows import row
journal = Journal(Path(sys.argv[1]), sys.argv[2])
rows = [row("one", "Oz", 1)]
journal.add(f"{rows[0].cell}:Oz", rows)
print("held", flush=True)
time.sleep(60)
"""


def test_one_process_at_a_time_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), PLAN, root], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError) as raised:
            Journal(tmp_path, PLAN)
        assert raised.value.message == "the same run is already going on"
        assert raised.value.where == str(tmp_path) and raised.value.hint
        Journal(tmp_path, "f" * 64).close(remove=True)  # another run is free to go on
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=20)
    journal = Journal(tmp_path, PLAN)
    assert journal.cells == {entry(THEIRS): THEIRS}
    journal.close(remove=True)


def test_a_journal_that_goes_while_it_is_opened_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner ends just then: what is locked is the file that the next one would open."""
    owners, lock = [Journal(tmp_path, PLAN)], fcntl.flock

    def late(file: int | IO[bytes], how: int) -> None:
        number = file if isinstance(file, int) else file.fileno()
        if owners and os.path.samestat(os.fstat(number), owners[0].path.stat()):
            owners.pop().close(remove=True)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    mine = Journal(tmp_path, PLAN)
    monkeypatch.undo()
    mine.add(entry(FIRST), FIRST)
    with pytest.raises(UsageError, match="already going on"):
        Journal(tmp_path, PLAN)
    mine.close(remove=False)
    again = Journal(tmp_path, PLAN)
    assert again.cells == {entry(FIRST): FIRST}
    again.close(remove=True)


def test_nobody_removes_the_journal_of_another(tmp_path: Path) -> None:
    first = Journal(tmp_path, PLAN)
    first.path.unlink()  # by hand, as errors suggest
    second = Journal(tmp_path, PLAN)
    second.add(entry(FIRST), FIRST)
    first.close(remove=True)
    second.close(remove=False)
    again = Journal(tmp_path, PLAN)
    assert again.cells == {entry(FIRST): FIRST}
    again.close(remove=True)


def test_a_results_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for results in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(PrerequisiteError) as raised:
            Journal(results, PLAN)
        assert str(tmp_path / "file") in (raised.value.where or "")
        assert "--results" in (raised.value.hint or "")
