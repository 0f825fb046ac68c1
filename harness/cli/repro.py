"""``harness repro``."""

from pathlib import Path

from harness.paths import default_results
from harness.replay import repro_script
from harness.replay.find import find_row

__all__ = ["repro"]


def repro(row: str, suite: str | None, results: Path | None) -> int:
    """Print the script."""
    run, found = find_row(row, results or default_results())
    print(repro_script(run, found, run.path.parent, suite), end="")
    return 0
