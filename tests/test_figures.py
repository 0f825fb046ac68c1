"""The documents show what the commands print for the committed results."""

import os
import subprocess
import sys

from tests.drive import ROOT

CACHE = ROOT / "build" / "tests" / "figures"
"""Verdicts are kept there by the digest of their rows, from one session to the next."""


def test_documents_say_what_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/figures.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "HARNESS_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run {sys.executable} scripts/figures.py"
