"""The example of docs/adding-a-suite.md, as its reader uses it: copied, checked, run, broken."""

import shutil
from pathlib import Path

import pytest

from tests.drive import ROOT, User

EXAMPLE = ROOT / "docs" / "examples" / "own-suite"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Another folder, so that nothing in it leans on where the example stands."""
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLE, folder)
    return folder / "suite.toml"


@pytest.mark.slow
def test_the_example_is_admitted(visitor: User, copy: Path) -> None:
    answer = visitor.harness("suites", "check", copy, code=0, timeout=300)
    assert "2 of 2 programs of example are admitted" in answer.err


@pytest.mark.slow
def test_the_example_runs(visitor: User, copy: Path) -> None:
    visitor.harness("run", "--suite", copy, "--policy", "Oz,O3,Os", "--target", "x86-64,aarch64", code=0)
    rows = visitor.rows()
    assert {row.outcome.value for row in rows} == {"ok"}
    assert len({(row.benchmark, row.target, row.policy) for row in rows}) == 2 * 2 * 3
    board = visitor.harness("leaderboard", "--suite", "example", code=0).out
    assert all(policy in board for policy in ("Oz", "O3", "Os"))


def test_its_faults_are_named_by_line(visitor: User, copy: Path) -> None:
    """The answer that the page shows."""
    text = copy.read_text()
    changed = text.replace('"table.c"', '"tabel.c"').replace('generator = "text"', 'generator = "texts"')
    copy.write_text(changed)
    answer = visitor.harness("suites", "check", copy, code=1)
    lines = changed.splitlines()
    missing = next(number for number, line in enumerate(lines, 1) if "tabel.c" in line)
    generator = next(number for number, line in enumerate(lines, 1) if '"texts"' in line)
    assert f"suite.toml:{missing}  wordfreq  missing file" in answer.out
    assert f"suite.toml:{generator}  wordfreq  definition" in answer.out
    assert "nothing was compiled" in answer.out + answer.err
