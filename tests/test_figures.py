"""The documents show what the commands print for the committed results."""

import os
import subprocess
import sys

import pytest

from tests.drive import ROOT

CACHE = ROOT / "build" / "tests" / "figures"
"""Verdicts are kept there by the digest of their rows, from one session to the next."""


def check(*documents: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/figures.py", "--check", *documents],
        cwd=ROOT,
        env={**os.environ, "HARNESS_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )


def require(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run {sys.executable} scripts/figures.py"


def test_the_tables_of_standings_are_what_the_command_prints() -> None:
    require(check("README.md", "docs/standings.md"))


@pytest.mark.slow
def test_documents_say_what_commands_print() -> None:
    require(check())


def test_what_is_no_document_is_refused() -> None:
    done = check("docs/nothing.md")
    assert done.returncode != 0
    assert "docs/nothing.md is no document" in done.stderr
