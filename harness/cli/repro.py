"""``harness repro``."""

from pathlib import Path

from harness.base.paths import default_results
from harness.base.vocabulary import Track
from harness.checks.replay import repro_script
from harness.checks.replay.find import find_row
from harness.sandbox.bench import open_bench

__all__ = ["repro"]


def repro(row: str, suite: str | None, results: Path | None) -> int:
    """Print the script."""
    run, found = find_row(row, results or default_results())
    if run.header.track is Track.SHARDING:
        from harness.problems.sharding.replay import judging_script

        print(judging_script(run, found, open_bench(), suite), end="")
        return 0
    print(repro_script(run, found, run.path.parent, suite), end="")
    return 0
