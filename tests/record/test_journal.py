"""The journal of an unfinished run: a finished cell survives everything, a torn one is forgotten."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import PrerequisiteError, UsageError
from harness.record.journal import Journal
from harness.record.runfile import run_files
from tests.rows import row

PLAN = "0123456789abcdef" * 4
CELLS = {
    "first:Oz": [row("one", "Oz", 10), row("one", "Oz", 3.5, metric="compile.cpu", unit="s")],
    "second:O2": [row("two", "O2", None, detail='killed: "quoted",\n2 lines, ünïcode')],
    "third:Oz": [row("two", "Oz", 12)],
}


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


@given(cut=st.floats(0, 1), tail=st.binary(max_size=40))
def test_what_follows_a_torn_cell_is_written_whole(
    cut: float, tail: bytes, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    (folder / f".{PLAN[:16]}.journal").write_bytes(whole[: int(cut * len(whole))] + tail)
    journal = Journal(folder, PLAN)
    before = dict(journal.cells)
    assert list(before.items()) == list(CELLS.items())[: len(before)]
    journal.add("last", [row("three", "Oz", 7)])
    journal.close(remove=False)
    again = Journal(folder, PLAN)
    assert again.cells == {**before, "last": [row("three", "Oz", 7)]}
    again.close(remove=True)


@pytest.mark.parametrize(
    "line", [b"[]", b"3", b"null", b'{"cell": "x"}', b'{"rows": []}', b'{"cell": "x", "rows": [{}]}']
)
def test_a_line_of_another_shape_ends_the_journal(line: bytes, whole: bytes, tmp_path: Path) -> None:
    first = whole[: whole.index(b"\n") + 1]
    (tmp_path / f".{PLAN[:16]}.journal").write_bytes(first + line + b"\n" + whole[len(first) :])
    journal = Journal(tmp_path, PLAN)
    assert list(journal.cells) == ["first:Oz"]
    journal.close(remove=True)


def test_plans_have_journals_of_their_own(tmp_path: Path) -> None:
    written(tmp_path)
    other = Journal(tmp_path, "f" * 64)
    assert other.cells == {}
    other.close(remove=True)
    assert Journal(tmp_path, PLAN).cells == CELLS


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
journal.add("theirs", [row("one", "Oz", 1)])
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
    assert journal.cells == {"theirs": [row("one", "Oz", 1)]}
    journal.close(remove=True)


def test_a_results_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for results in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(PrerequisiteError) as raised:
            Journal(results, PLAN)
        assert str(tmp_path / "file") in (raised.value.where or "")
        assert "--results" in (raised.value.hint or "")
