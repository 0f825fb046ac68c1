"""``harness fetch``."""

import os
from pathlib import Path

from harness.base.errors import UsageError
from harness.cli.output import note, observer
from harness.problems.programs.stages import fetch_sources
from harness.problems.sharding.suite import sharding_file
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench
from harness.suite.load import load_suite

__all__ = ["fetch"]


def fetch(suite: str, folder: Path | None, jobs: int | None) -> int:
    """Fetch every source of the suite that is not in the cache, or all of them from ``folder``."""
    if folder is not None and not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder))
    if sharding_file(suite):
        from harness.cli.instances import fetch_instances

        return fetch_instances(suite, folder)
    programs = load_suite(suite).programs
    progress = observer()
    try:
        fetch_sources(programs, open_bench(), local_engine(jobs or len(os.sched_getaffinity(0))), progress, folder)
    finally:
        progress.close()
    sources = {program.benchmark.source for program in programs}
    note(f"{suite}: {len(sources)} source trees of {len(programs)} programs are here and verified")
    return 0
