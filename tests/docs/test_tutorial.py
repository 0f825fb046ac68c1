"""The tutorial and the README do what they say: commands run as they stand, and print what the page shows."""

import re
from pathlib import Path

import pytest

from tests.docs.page import at_a_shell, require_shown, steps
from tests.drive import ROOT

PAGE = ROOT / "docs" / "tutorial.md"


def test_every_shown_output_belongs_to_a_command() -> None:
    assert len(steps(PAGE)) >= 8
    assert sum(bool(shown) for _, shown in steps(PAGE)) >= 6


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    require_shown(PAGE, tmp_path, tmp_path / "results")


@pytest.mark.slow
def test_the_policy_of_the_readme_runs(tmp_path: Path) -> None:
    [script] = re.findall(
        r"^```sh\n(harness new my-policy .*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    done = at_a_shell(script, tmp_path, tmp_path / "results")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ 1–2  my-policy  fixed ", done.stdout, re.MULTILINE), done.stdout
