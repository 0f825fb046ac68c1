"""``harness replay``."""

import os
from dataclasses import asdict
from pathlib import Path

from harness.bench import open_bench
from harness.cli.output import Column, Format, emit, note, observer
from harness.engine import local_engine
from harness.paths import default_results
from harness.replay import replay_run
from harness.replay.find import find_run

__all__ = ["replay"]

COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("target", "target"),
    Column("policy", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", lambda digest: str(digest)[:12]),
    Column("rebuilt", "rebuilt", lambda digest: str(digest)[:12]),
    Column("detail", "detail"),
)


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
    """Exit code: 0 when every object is equal, 1 when one is not."""
    folder = results or default_results()
    found = find_run(run, folder)
    progress = observer()
    try:
        engine = local_engine(jobs or len(os.sched_getaffinity(0)))
        bench = open_bench(trust=trust)
        # Decisions stand beside the run, wherever it was found.
        answers = replay_run(found, bench, engine, found.path.parent, progress, benchmarks, policies, suite)
    finally:
        progress.close()
    different = [answer for answer in answers if answer.outcome != "ok"]
    shown = different if format_ is Format.TABLE else answers
    if shown or format_ is not Format.TABLE:
        emit([asdict(answer) for answer in shown], COLUMNS, format_)
    note(f"{len(answers) - len(different)} of {len(answers)} objects rebuilt from their decisions are equal")
    return 1 if different else 0
