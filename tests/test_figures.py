"""The documents show what the commands print for the committed results."""

import subprocess
import sys

from tests.drive import ROOT


def test_documents_say_what_commands_print() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/figures.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run {sys.executable} scripts/figures.py"
