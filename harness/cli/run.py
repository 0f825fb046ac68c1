"""``harness run``."""

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.base.vocabulary import Outcome
from harness.cli.failures import failure_lines
from harness.cli.leaderboard import print_standings
from harness.cli.output import Format, duration, note, observer, say
from harness.measure import ALL
from harness.policy import kind_of
from harness.problems.programs.outlook import outlook
from harness.problems.programs.request import Request, make_request
from harness.problems.programs.timing import Timing, TimingRequest
from harness.record.fresh import fresh_words
from harness.record.rows import Row
from harness.run.engines import local_engine
from harness.run.report import RunReport
from harness.run.run import execute_run
from harness.sandbox.bench import open_bench
from harness.statistics.paired import MIN_PAIRS
from harness.suite.fresh import takes_fresh_inputs
from harness.suite.hidden import read_secret

__all__ = ["RunOptions", "run"]


@dataclass(frozen=True)
class RunOptions:
    """The verb's options."""

    suite: str
    benchmarks: list[str]
    policies: list[str]
    targets: list[str]
    track: str
    metrics: list[str]
    jobs: int | None
    results: Path | None
    compile_timeout: float
    timing: TimingRequest
    trust: bool
    copies: int = 0
    seed_file: Path | None = None
    log_features: bool = False
    fresh: bool = True
    """Verify objects on inputs that nobody has seen, too."""


def run(options: RunOptions, dry_run: bool, format_: Format) -> int:
    """Exit code: 0 when every cell is ok or unsupported, 1 when some failed."""
    import time

    started = time.monotonic()
    request = make_request(
        options.suite,
        options.benchmarks,
        options.policies,
        options.targets,
        options.track,
        options.metrics,
        options.copies,
        None if options.seed_file is None else read_secret(options.seed_file),
    )
    bench = open_bench(options.compile_timeout, trust=options.trust)
    jobs = options.jobs or len(os.sched_getaffinity(0))
    if dry_run:
        plan = outlook(request, bench, jobs)
        say(f"{plan.cells} cells: {plan.cells - plan.cached} to do, {plan.cached} cached")
        say(f"{plan.to_fetch} source trees to fetch, {plan.to_freeze} modules to freeze")
        say(f"about {duration(plan.seconds)} with {jobs} workers (a rough estimate)")
        say(_fresh_plan(request, options.fresh))
        if plan.timed:
            most = duration(plan.timed * options.timing.budget)
            say(f"then run time of {plan.timed} programs, one at a time: up to {most} (--budget)")
        return 0
    if options.trust:
        note("without the sandbox: policies and programs run with your rights, and every row will say so")
    results = options.results or default_results()
    progress = observer()
    try:
        report = execute_run(
            request, bench, local_engine(jobs), results, progress, sys.argv[1:], options.timing,
            log_features=options.log_features, fresh=options.fresh,
        )  # fmt: skip
    except KeyboardInterrupt:
        note("interrupted: finished cells are kept, and the same command goes on from here")
        return 130
    finally:
        progress.close()
    _summary(request, report, time.monotonic() - started)
    try:
        print_standings(
            results,
            format_,
            suite=request.suite.name,
            targets=tuple(request.targets),
            track=request.track.value,
            metric=next((name for name in options.metrics if name != ALL), None),
        )
    except UsageError as error:  # the run is recorded; it only has nothing to be compared with yet
        note(f"no standings: {error}")
    return 1 if report.failed or report.contradicted or report.refuted_before or report.timing.failed else 0


def _summary(request: Request, report: RunReport, seconds: float) -> None:
    note(f"{report.cells} cells, {report.computed} computed now, {len(report.failed)} failed, in {duration(seconds)}")
    for line in failure_lines(report.failed):
        note(line)
    for (metric, why), count in _unmeasured(report.rows).most_common():
        note(f"  {metric} not measured on {count} cell{'s' if count > 1 else ''}: {why}")
    _timing_summary(report.timing)
    for policy in request.policies:
        for remark in kind_of(policy.manifest.kind).notes(policy):
            note(f"  {policy.name}: {remark}")
    note(f"fresh verification: {fresh_words(report.fresh)}")
    for row in report.overturned[:10]:
        note(
            f"  OVERTURNED: {row.policy} on {row.benchmark} ({row.target.value}) fails on a fresh input, and an "
            f"earlier run recorded the same object as ok; standings count it as {row.outcome.value} from now on"
        )
    for row in report.refuted_before[:10]:
        note(
            f"  REFUTED: {row.policy} on {row.benchmark} ({row.target.value}) is ok on this run's inputs, and the same "
            f"object failed on a fresh input in an earlier run; standings count that"
        )
    if report.reproduced:
        note(f"reproduced: {report.reproduced} deterministic values equal those of earlier runs")
    for row in report.contradicted[:10]:
        note(
            f"  CONTRADICTED: {row.policy} on {row.benchmark} ({row.target.value}): {row.metric} is {row.value} now, "
            f"and was something else in an earlier run of the same cell"
        )
    if report.trajectories:
        note(f"features and decisions in {report.trajectories}")
    note(f"recorded in {report.file}" if report.file else "nothing new: every row is recorded already")


def _fresh_plan(request: Request, fresh: bool) -> str:
    without = [program.benchmark.name for program in request.programs if not takes_fresh_inputs(program)]
    if not fresh:
        return "no fresh verification (--no-fresh)"
    able = len(request.programs) - len(without)
    words = f"new objects are also verified on one fresh input of each of {able} programs"
    return f"{words}; without generated input: {', '.join(without)}" if without else words


def _timing_summary(timing: Timing) -> None:
    if timing.reused:
        note(f"run time of {timing.reused} programs is of earlier campaigns (--time-again takes it anew)")
    for campaign in timing.campaigns:
        control = campaign.control
        interval = "no interval" if control.low is None else f"99 % interval {control.low:.4f} – {control.high:.4f}"
        note(
            f"campaign {campaign.campaign}: {campaign.blocks} blocks in {duration(campaign.seconds)} on core "
            f"{campaign.core}; control {control.ratio:.4f}, {interval}"
        )
        for mark in campaign.marks:
            note(f"  NOT USABLE: {mark}")
    pairs = Counter(block.benchmark for block in timing.blocks)
    if few := [name for name, count in pairs.items() if count < MIN_PAIRS]:
        note(f"  fewer than {MIN_PAIRS} pairs on {len(few)} of {len(pairs)} programs: they count as not measured")
        note("  raise --budget")


def _unmeasured(rows: tuple[Row, ...]) -> Counter[tuple[str, str]]:
    """Metrics that could not be taken of cells that are ok, with the reason."""
    return Counter(
        (str(row.metric), row.detail) for row in rows if row.outcome is Outcome.OK and row.metric and row.value is None
    )
