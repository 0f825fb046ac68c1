"""How commands that learn end."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.learn.command import exit_code


@pytest.mark.parametrize("words", [("allocators", "fit", "--examples"), ("inliners", "judge")])
def test_a_file_that_is_missing_is_named_in_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    command, *rest = words
    output = ["--output", str(tmp_path / "out")] if command == "allocators" else []
    whole = [sys.executable, "-m", f"harness.learn.{command}", *rest, str(tmp_path / "none"), *output]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path / 'none'}: No such file or directory\n"


def test_an_interruption_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        raise KeyboardInterrupt

    assert exit_code(work) == 130 and capsys.readouterr().err == "interrupted\n"
