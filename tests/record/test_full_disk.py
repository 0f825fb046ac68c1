"""Where results cannot be written whole, nothing of them stays."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars
import pytest

from harness.apply.decisions import Decisions
from harness.base.errors import PrerequisiteError
from harness.base.vocabulary import Level
from harness.record.decisions import store_decisions
from harness.record.ledger import add_to_ledger
from harness.record.parquet import write_frame
from tests.rows import row, run_file

ROWS = [row(f"b{number}", "Oz", number + 1) for number in range(20)]


def a_run(results: Path) -> None:
    run_file(results, ROWS)


def decisions(results: Path) -> None:
    content = Decisions("passes", Level.OZ, {"passes": [f"p{n * n:x}" for n in range(999)], "dropped": []}).content
    store_decisions(results, content)


def a_frame(results: Path) -> None:
    write_frame(results / "made.parquet", polars.DataFrame({"number": range(5000)}))


@contextmanager
def full(most: int = 40) -> Iterator[None]:
    """No file can have more bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("write", [a_run, decisions, a_frame], ids=lambda write: write.__name__)
def test_nothing_stays_of_what_could_not_be_written(write: Callable[[Path], None], tmp_path: Path) -> None:
    for _ in range(3):
        with pytest.raises(PrerequisiteError, match="cannot write results"), full():
            write(tmp_path)
        assert files(tmp_path) == set()
    write(tmp_path)
    assert len(files(tmp_path)) == 1


def test_nothing_stays_of_an_entry_of_the_ledger(tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", key], check=True)
    run = run_file(tmp_path / "results", ROWS)
    before = files(run.parent)
    with pytest.raises(PrerequisiteError, match="cannot write results"), full(1200):  # a signature has fewer
        add_to_ledger(run, key)
    assert {path for path in files(run.parent) - before if path.suffix != ".lock"} == set()
