"""``harness run`` on a suite of sharding instances."""

import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.base.vocabulary import Track
from harness.cli.failures import failure_lines
from harness.cli.leaderboard import print_standings
from harness.cli.output import Format, duration, note, observer, say
from harness.measure import choose_metrics
from harness.problems.sharding.cell import cached_solution, solver_cell_key
from harness.problems.sharding.request import SolveRequest, make_solve_request
from harness.problems.sharding.run import SolveReport, execute_solving
from harness.sandbox.bench import open_bench

__all__ = ["SolveOptions", "solve"]


@dataclass(frozen=True)
class SolveOptions:
    """The verb's options."""

    suite: str
    benchmarks: list[str]
    policies: list[str]
    time_scale: float
    cores: int | None
    results: Path | None
    compile_timeout: float
    trust: bool


def solve(options: SolveOptions, dry_run: bool, format_: Format) -> int:
    """Exit code: 0 when every cell is ok, 1 when some failed or an instance is missing."""
    started = time.monotonic()
    request = make_solve_request(options.suite, options.benchmarks, options.policies, options.time_scale, options.cores)
    bench = open_bench(options.compile_timeout, trust=options.trust)
    metrics = tuple(metric.name for metric in choose_metrics((), Track.SHARDING))
    if dry_run:
        to_do = [c for c in request.cells if cached_solution(solver_cell_key(c, bench), metrics, bench) is None]
        say(f"{len(request.cells)} cells: {len(to_do)} to do, {len(request.cells) - len(to_do)} cached")
        say(f"at most {duration(sum(cell.seconds for cell in to_do))}, one solver at a time on {_cores(request)}")
        return 0
    if options.trust:
        note("without the sandbox: solvers run with your rights, and every row will say so")
    results = options.results or default_results()
    progress = observer()
    try:
        report = execute_solving(request, bench, results, progress, sys.argv[1:])
    except KeyboardInterrupt:
        note("interrupted: finished cells are kept, and the same command goes on from here")
        return 130
    finally:
        progress.close()
    _summary(request, report, time.monotonic() - started)
    try:
        print_standings(
            results, format_, suite=request.suite.name, track=Track.SHARDING.value, time_scale=request.time_scale,
            cores=len(request.cores), targets=(),
        )  # fmt: skip
    except UsageError as error:
        note(f"no standings: {error}")
    return 1 if report.run.failed or report.missing else 0


def _summary(request: SolveRequest, report: SolveReport, seconds: float) -> None:
    run = report.run
    note(
        f"{run.cells} cells, {run.computed} computed now, {len(run.failed)} failed, in {duration(seconds)}; time scale "
        f"{request.time_scale:g}, one solver at a time on {_cores(request)}"
    )
    for line in failure_lines(run.failed):
        note(line)
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in report.missing.items():
        reasons[reason.partition(", and ")[0]].append(name)  # what follows names the file: people want a reason once
    for reason, names in reasons.items():
        note(f"  MISSING: {', '.join(names)}: {reason}")
    if report.missing:
        count = f"{len(report.missing)} of {len(request.problems)} instances"
        note(f"  {count} were not run: put their files into a folder of HARNESS_DATA")
    note(f"recorded in {run.file}" if run.file else "nothing new: every row is recorded already")


def _cores(request: SolveRequest) -> str:
    count = len(request.cores)
    return f"{count} core{'s' if count > 1 else ''}"
