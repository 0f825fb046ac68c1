"""The tutorial and the README do what they say: commands run as they stand, and print what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drive import ROOT

PAGE = ROOT / "docs" / "tutorial.md"
FENCED = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELIDED = "…"
CACHE = os.environ.get("HARNESS_CACHE")
"""As it was given to pytest. The session's own is empty: programs are fetched and frozen first."""


def steps() -> list[tuple[str, list[str]]]:
    """Each block of commands, with the lines that the page shows of what it prints."""
    found: list[tuple[str, list[str]]] = []
    for kind, body in FENCED.findall(PAGE.read_text()):
        if kind == "sh":
            found.append((body, []))
        else:
            found[-1][1].extend(line.rstrip() for line in body.splitlines() if line != ELIDED)
    return found


def steady(line: str) -> str:
    """A line without what varies: how many seconds a policy took to decide is a row's last column."""
    return re.sub(r"(\d/\d+/\d+/\d+ .*?) +\d+\.\d\d$", r"\1", line.rstrip())


def test_every_shown_output_belongs_to_a_command() -> None:
    assert len(steps()) >= 8
    assert sum(bool(shown) for _, shown in steps()) >= 6


def at_a_shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")}
    environment = {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
        "HARNESS_CACHE": CACHE or os.environ["HARNESS_CACHE"],
        "HARNESS_RESULTS": str(folder / "results"),
        "HARNESS_ASK_AGAIN_AFTER": "0",  # a reader waits for a minute here, three times
    }
    return subprocess.run(
        ["bash", "-c", f"set -e\n{script}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    # One shell for all blocks, as a reader has; after each block a line that no command prints.
    end = "=== end of block ==="
    script = "".join(f"{{\n{commands}}} 2>&1 </dev/null\necho '{end}'\n" for commands, _ in steps())
    done = at_a_shell(script, tmp_path)
    printed = done.stdout.split(f"{end}\n")
    assert done.returncode == 0, f"block {len(printed)} failed:\n{printed[-1]}{done.stderr}"
    for (commands, shown), output in zip(steps(), printed, strict=False):
        lines = iter([steady(line) for line in output.splitlines()])
        for line in shown:
            assert steady(line) in lines, (
                f"after\n{commands}\nthis line is missing, or in another place:\n{line}\n{output}"
            )


@pytest.mark.slow
def test_the_policy_of_the_readme_runs(tmp_path: Path) -> None:
    [script] = re.findall(
        r"^```sh\n(harness new my-policy .*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    done = at_a_shell(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ 1–2  my-policy  fixed ", done.stdout, re.MULTILINE), done.stdout
