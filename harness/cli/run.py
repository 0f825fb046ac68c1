"""``harness run``."""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.base.text import duration
from harness.base.vocabulary import Outcome
from harness.cli.failures import failure_lines
from harness.cli.leaderboard import print_standings
from harness.cli.options import conditions
from harness.cli.output import Format, note, observer, say
from harness.measure import ALL
from harness.problems.protocol import Asked
from harness.problems.registry import benchmarks_of, require_own
from harness.record.index import require_folder
from harness.record.rows import Row
from harness.record.runfile import write_run
from harness.run.engines import local_engine
from harness.run.report import RunReport
from harness.run.run import Preliminary, execute_run
from harness.sandbox.bench import open_bench
from harness.suite.known import RESERVED
from harness.suite.together import distinct

__all__ = ["RunOptions", "run"]


@dataclass(frozen=True)
class RunOptions:
    """The verb's options."""

    suite: str
    benchmarks: list[str]
    policies: list[str]
    results: Path | None
    compile_timeout: float
    trust: bool
    declared: Mapping[str, Any]
    """Those that problems declare, as far as they were given."""


def run(options: RunOptions, dry_run: bool, format_: Format) -> int:
    """Exit code: 0 when every cell is ok or unsupported, 1 when some failed, 130 when it was interrupted.

    A name that stands for several suites is a run of each, and one table at the end.
    """
    if options.suite not in RESERVED:
        return _run(options, dry_run, format_, options.suite)
    code, every = 0, distinct(options.suite, options.benchmarks)
    for number, (suite, names) in enumerate(every.items(), 1):
        note(f"{suite}, {number} of {len(every)} suites: {len(names)} program{'s' if len(names) > 1 else ''}")
        shown = options.suite if number == len(every) else None
        code = max(code, _run(replace(options, suite=suite, benchmarks=list(names)), dry_run, format_, shown))
        if code == 130:
            break
    return code


def _run(options: RunOptions, dry_run: bool, format_: Format, shown: str | None) -> int:
    """``shown``: the suite whose standings are printed at the end."""
    started = time.monotonic()
    folder, benchmarks = benchmarks_of(options.suite)
    require_own("run", options.declared, folder, options.suite)
    request = benchmarks.request(Asked(options.suite, options.benchmarks, options.policies, options.declared))
    for line in request.remarks:
        note(line)
    bench = open_bench(options.compile_timeout, trust=options.trust)
    results = options.results or default_results()
    require_folder(results)
    jobs = options.declared.get("jobs") or len(os.sched_getaffinity(0))
    if dry_run:
        for line in request.outlook(bench, jobs):
            say(line)
        return 0
    if options.trust:
        note("without the sandbox: policies and programs run with your rights, and every row will say so")
    progress = observer()
    try:
        early = partial(_preliminary, options) if format_ is Format.TABLE and shown is not None else None
        report = execute_run(request, bench, local_engine(jobs), results, progress, sys.argv[1:], early)
    except KeyboardInterrupt:
        note("interrupted: finished cells are kept, and the same command goes on from here")
        return 130
    finally:
        progress.close()
    _summary(report, time.monotonic() - started)
    if shown is None:
        return 0 if report.ok else 1
    try:
        print_standings(
            results,
            format_,
            suite=shown if shown in RESERVED else request.suite.name,
            targets=tuple(request.targets),
            track=request.track,
            metric=_metric(options),
            benchmarks=tuple(options.benchmarks),
            **conditions(dict(options.declared)),
        )
    except UsageError as error:  # the run is recorded; it only has nothing to be compared with yet
        note(f"no standings: {error}")
    return 0 if report.ok else 1


def _preliminary(options: RunOptions, found: Preliminary) -> None:
    """Print standings of the first programs, which are nowhere recorded yet."""
    with tempfile.TemporaryDirectory(prefix="harness-") as folder:
        write_run(Path(folder), found.header, found.rows)
        some = f"{len({row.benchmark for row in found.rows})} programs"
        say(f"\nPRELIMINARY, of the first {some}: the table of all follows when they are measured")
        with suppress(UsageError):
            print_standings(
                Path(folder),
                Format.TABLE,
                suite=found.request.suite.name,
                targets=tuple(found.request.targets),
                track=found.request.track,
                metric=_metric(options),
                legend=False,
            )


def _metric(options: RunOptions) -> str | None:
    return next((name for name in options.declared.get("metric", ()) if name != ALL), None)


def _summary(report: RunReport, seconds: float) -> None:
    cells = f"{report.cells} cell{'' if report.cells == 1 else 's'}"
    note(f"{cells}, {report.computed} computed now, {len(report.failed)} failed, in {duration(seconds)}")
    for line in failure_lines(report.failed, report.left_out):
        note(line)
    for (metric, why), count in _unmeasured(report.rows).most_common():
        note(f"  {metric} not measured on {count} cell{'s' if count > 1 else ''}: {why}")
    for line in report.notes:
        note(line)
    earlier = report.earlier
    for row in earlier.overturned[:10]:
        note(
            f"  OVERTURNED: {row.policy} on {row.benchmark} ({row.target.value}) fails on a fresh input, and an "
            f"earlier run recorded the same object as ok; standings count it as {row.outcome.value} from now on"
        )
    for row in earlier.refuted[:10]:
        note(
            f"  REFUTED: {row.policy} on {row.benchmark} ({row.target.value}) is ok on this run's inputs, and the same "
            f"object failed on a fresh input in an earlier run; standings count that"
        )
    if earlier.reproduced:
        note(f"reproduced: {earlier.reproduced} deterministic values equal those of earlier runs")
    for row in earlier.contradicted[:10]:
        note(
            f"  CONTRADICTED: {row.policy} on {row.benchmark} ({row.target.value}): {row.metric} is {row.value} now, "
            f"and was something else in an earlier run of the same cell"
        )
    note(f"recorded in {report.file}" if report.file else "nothing new: every row is recorded already")


def _unmeasured(rows: tuple[Row, ...]) -> Counter[tuple[str, str]]:
    """Metrics that could not be taken of cells that are ok, with the reason."""
    return Counter(
        (str(row.metric), row.detail) for row in rows if row.outcome is Outcome.OK and row.metric and row.value is None
    )
