"""The page on submitting does what it says, in a clone of the repository."""

import subprocess
from pathlib import Path

import pytest

from tests.docs.page import require_shown, steps
from tests.drive import ROOT

PAGE = ROOT / "docs" / "submitting.md"


def test_every_shown_output_belongs_to_a_command() -> None:
    assert len(steps(PAGE)) >= 7
    assert sum(bool(shown) for _, shown in steps(PAGE)) >= 5


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    for words in (
        ("git", "clone", "--quiet", "--no-hardlinks", "--depth=1", f"file://{ROOT}", str(clone)),
        ("git", "-C", str(clone), "checkout", "--quiet", "-B", "main"),
        ("git", "-C", str(clone), "config", "user.name", "Ada Example"),
        ("git", "-C", str(clone), "config", "user.email", "ada@example.org"),
    ):
        subprocess.run([words[0], "-c", "safe.directory=*", *words[1:]], check=True, timeout=120)
    require_shown(PAGE, clone, tmp_path / "results")
