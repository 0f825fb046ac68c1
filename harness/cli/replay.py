"""``harness replay`` and ``harness repro``."""

import os
from pathlib import Path

from harness.base.paths import default_results
from harness.cli.output import Format, observer, tell
from harness.problems.protocol import Replaying
from harness.problems.registry import benchmarks_of_track
from harness.record.find import find_row, find_run
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench

__all__ = ["replay", "repro"]


def replay(
    run: str,
    benchmarks: list[str],
    policies: list[str],
    suite: str | None,
    jobs: int | None,
    trust: bool,
    results: Path | None,
    format_: Format,
) -> int:
    """Exit code: 0 when everything is equal, 1 when something is not."""
    found = find_run(run, results or default_results())
    _, sort = benchmarks_of_track(found.header.track)
    progress = observer()
    try:
        engine = local_engine(jobs or len(os.sched_getaffinity(0)))
        asked = Replaying(found, benchmarks, policies, suite)
        answer = sort.replay(asked, open_bench(trust=trust), engine, progress)
    finally:
        progress.close()
    return tell(answer, format_)


def repro(row: str, suite: str | None, results: Path | None) -> int:
    """Print the script."""
    run, found = find_row(row, results or default_results())
    _, sort = benchmarks_of_track(run.header.track)
    print(sort.script(Replaying(run, suite=suite), found, open_bench()), end="")
    return 0
