"""Pages whose commands are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

__all__ = ["at_a_shell", "require_shown", "steps"]

FENCED = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELIDED = "…"
CACHE = os.environ.get("HARNESS_CACHE")
"""As it was given to pytest. The session's own is empty: programs are fetched and frozen first."""
_END = "=== end of block ==="
"""A line that no command prints."""


def steps(page: Path) -> list[tuple[str, list[str]]]:
    """Each block of commands, with the lines that the page shows of what it prints."""
    found: list[tuple[str, list[str]]] = []
    for kind, body in FENCED.findall(page.read_text()):
        if kind == "sh":
            found.append((body, []))
        else:
            found[-1][1].extend(line.rstrip() for line in body.splitlines() if line != ELIDED)
    return found


def steady(line: str) -> str:
    """A line without what varies: how many seconds a policy took to decide is a row's last column."""
    return re.sub(r"(\d/\d+/\d+/\d+ .*?) +\d+\.\d\d$", r"\1", line.rstrip())


def at_a_shell(script: str, folder: Path, results: Path) -> subprocess.CompletedProcess[str]:
    """One shell in the folder, with the harness on its path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")}
    environment = {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
        "HARNESS_CACHE": CACHE or os.environ["HARNESS_CACHE"],
        "HARNESS_RESULTS": str(results),
        "HARNESS_ASK_AGAIN_AFTER": "0",  # a reader waits for a minute here
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


def require_shown(page: Path, folder: Path, results: Path) -> None:
    """Run all blocks of the page in one shell, as a reader has: each ends well, and prints the lines that are shown."""
    script = "".join(f"{{\n{commands}}} 2>&1 </dev/null\necho '{_END}'\n" for commands, _ in steps(page))
    done = at_a_shell(script, folder, results)
    printed = done.stdout.split(f"{_END}\n")
    assert done.returncode == 0, f"block {len(printed)} failed:\n{printed[-1]}{done.stderr}"
    for (commands, shown), output in zip(steps(page), printed, strict=False):
        lines = iter([steady(line) for line in output.splitlines()])
        for line in shown:
            assert steady(line) in lines, (
                f"after\n{commands}\nthis line is missing, or in another place:\n{line}\n{output}"
            )
