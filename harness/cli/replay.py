"""``harness replay``."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.paths import default_results
from harness.base.vocabulary import Track
from harness.checks.replay import Rebuilt, replay_run
from harness.checks.replay.find import find_run
from harness.cli.output import Column, Format, emit, note, observer
from harness.record import RunFile
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench

if TYPE_CHECKING:
    from harness.problems.sharding.replay import Judged

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


SOLVED = (
    Column("instance", "benchmark"),
    Column("solver", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", "{:,}".format, right=True),
    Column("judged", "judged", "{:,}".format, right=True),
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
    """Exit code: 0 when every object and every deterministic value is equal, 1 when one is not."""
    folder = results or default_results()
    found = find_run(run, folder)
    if found.header.track is Track.SHARDING:
        return _judge_again(found, benchmarks, policies, suite, trust, format_)
    progress = observer()
    try:
        engine = local_engine(jobs or len(os.sched_getaffinity(0)))
        bench = open_bench(trust=trust)
        # Decisions stand beside the run, wherever it was found.
        answers = replay_run(found, bench, engine, found.path.parent, progress, benchmarks, policies, suite)
    finally:
        progress.close()
    code = _tell(answers, COLUMNS, format_, "objects rebuilt from their decisions are equal")
    equal = sum(answer.values - len(answer.differing) for answer in answers)
    note(f"{equal} of {sum(answer.values for answer in answers)} values measured again are equal")
    if skipped := sorted({name for answer in answers for name in answer.skipped}):
        why = "the suite's version, C library, linker or emulator is another than in the run"
        note(f"not compared, since {why}: {', '.join(skipped)}")
    return code


def _judge_again(
    run: RunFile, benchmarks: list[str], policies: list[str], suite: str | None, trust: bool, format_: Format
) -> int:
    """The same of a run of solvers: assignments are judged again."""
    from harness.problems.sharding.replay import judge_again

    progress = observer()
    try:
        answers = judge_again(run, open_bench(trust=trust), progress, benchmarks, policies, suite)
    finally:
        progress.close()
    return _tell(answers, SOLVED, format_, "assignments have the cost and the peak that were recorded")


def _tell(answers: "Sequence[Rebuilt | Judged]", columns: Sequence[Column], format_: Format, words: str) -> int:
    """Print what differs, or all of it for programs. Returns the exit code."""
    different = [answer for answer in answers if answer.outcome != "ok"]
    shown = different if format_ is Format.TABLE else answers
    if shown or format_ is not Format.TABLE:
        emit([asdict(answer) for answer in shown], columns, format_)
    note(f"{len(answers) - len(different)} of {len(answers)} {words}")
    return 1 if different else 0
