"""The Python door: the same flow as ``harness run``, with a data frame for an answer."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Track
from harness.measure import choose_metrics
from harness.problems.programs.request import make_request
from harness.problems.programs.timing import USUAL_TIMING, TimingRequest
from harness.problems.sharding.suite import sharding_file
from harness.record import Row
from harness.run.engines import local_engine
from harness.run.run import execute_run
from harness.sandbox.bench import COMPILE_TIMEOUT, open_bench

if TYPE_CHECKING:
    import pandas

    from harness.policy import Policy

__all__ = ["evaluate"]


def evaluate(
    policy: "str | Policy",
    benchmarks: str | Iterable[str],
    target: str | Sequence[str] = "x86-64",
    metrics: str | Iterable[str] = (),
    *,
    track: str = "size",
    results: Path | None = None,
    jobs: int | None = None,
    compile_timeout: float = COMPILE_TIMEOUT,
    timing: TimingRequest = USUAL_TIMING,
    trust: bool = False,
    time_scale: float = 1.0,
    cores: int | None = None,
    fresh: bool = True,
) -> "pandas.DataFrame":
    """Measure one policy on benchmarks of one suite.

    ``policy`` is a name, the path of a submission's folder, or a loaded ``Policy``. ``benchmarks``
    is a suite's name (``"cbench"``: all of it) or names like ``"cbench/bzip2"``; a suite of one's own
    is named by the path of its file (``"mine/suite.toml"``, ``"mine/suite.toml/fft"``). ``metrics`` are
    those of the track when none is named; ``"all"`` stands for every one. With ``results`` the run is also
    recorded in that folder. ``timing`` says how much is timed where run time is asked for; the track's references are
    timed too, and recorded. ``trust`` runs everything without the sandbox. Without ``fresh``,
    objects are verified on the suite's inputs alone.

    Of a suite of sharding instances (``"iopddl/A"``) the policy is a solver, which gets ``time_scale`` of each
    instance's limit and ``cores`` cores; target, metrics, track, jobs and timing mean nothing then.

    Returns one row per cell, with the columns ``benchmark, target, policy, seed, outcome, detail``,
    the digests, and one column per metric (NaN where the outcome is not ``ok`` or it cannot be measured).

    Raises UsageError for names that mean nothing, PrerequisiteError where a tool is missing.
    """
    import tempfile

    suite, names = _suite_of(benchmarks)
    if sharding_file(suite):
        return _solved(policy, suite, names, results, compile_timeout, time_scale, cores, trust=trust)
    targets = [target] if isinstance(target, str) else list(target)
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    request = make_request(suite, names, [policy], targets, track, wanted)
    engine = local_engine(jobs or len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as nowhere:
        folder = results or Path(nowhere)
        command = ("evaluate", request.policies[0].name, *request_names(suite, names))
        bench = open_bench(compile_timeout, trust=trust)
        report = execute_run(request, bench, engine, folder, SilentObserver(), command, timing, fresh=fresh)
    rows = [row for row in report.rows if row.policy == request.policies[0].name]  # without references, timed beside it
    return _frame(rows, request.suite.name, (*request.metrics, *request.timed_metrics))


def _solved(
    policy: "str | Policy",
    suite: str,
    names: Sequence[str],
    results: Path | None,
    compile_timeout: float,
    time_scale: float,
    cores: int | None,
    *,
    trust: bool,
) -> "pandas.DataFrame":
    """The same of a solver."""
    import tempfile

    from harness.problems.sharding.request import make_solve_request
    from harness.problems.sharding.run import execute_solving

    request = make_solve_request(suite, names, [policy], time_scale, cores)
    command = ("evaluate", request.policies[0].name, *request_names(suite, names))
    with tempfile.TemporaryDirectory() as nowhere:
        bench = open_bench(compile_timeout, trust=trust)
        report = execute_solving(request, bench, results or Path(nowhere), SilentObserver(), command)
    metrics = tuple(metric.name for metric in choose_metrics((), Track.SHARDING))
    return _frame(report.run.rows, request.suite.name, metrics)


def _frame(rows: Iterable[Row], suite: str, metrics: Sequence[str]) -> "pandas.DataFrame":
    """One row per cell."""
    import pandas

    cells: dict[tuple[str, str, int], dict[str, object]] = {}
    for row in rows:
        fields = row.line()
        cell = cells.setdefault(
            (row.benchmark, row.target.value, row.seed),
            {
                "benchmark": f"{suite}/{row.benchmark}",
                "target": row.target.value,
                "policy": row.policy,
                "seed": row.seed,
                "outcome": row.outcome.value,
                "detail": row.detail,
                **{name: fields.get(name) for name in ("frozen_digest", "decisions_digest", "object_digest")},
                **dict.fromkeys(metrics, float("nan")),
            },
        )
        if row.metric is not None and row.value is not None:
            cell[row.metric] = row.value
    return pandas.DataFrame([cells[key] for key in sorted(cells)])


def request_names(suite: str, names: Sequence[str]) -> list[str]:
    """The benchmarks as a header's command shows them."""
    return [f"{suite}/{name}" for name in names] or [suite]


def _suite_of(benchmarks: str | Iterable[str]) -> tuple[str, list[str]]:
    """Suite and benchmark names out of ``"cbench"`` or ``["cbench/bzip2", …]``."""
    wanted = [benchmarks] if isinstance(benchmarks, str) else list(benchmarks)
    if not wanted:
        raise UsageError("no benchmarks were named", hint='name a suite ("cbench") or benchmarks ("cbench/bzip2")')
    split = [_split(name) for name in wanted]
    suites = {suite for suite, _ in split}
    if len(suites) > 1:
        raise UsageError(f"benchmarks of several suites: {', '.join(sorted(suites))}", hint="evaluate one at a time")
    names = [name for _, name in split if name]
    if names and len(names) < len(wanted):
        raise UsageError("a whole suite and single benchmarks of it", hint="name one or the other")
    return split[0][0], names


def _split(name: str) -> tuple[str, str]:
    """``cbench/bzip2`` → ``cbench``, ``bzip2``; ``mine/suite.toml/fft`` → ``mine/suite.toml``, ``fft``."""
    file, ending, rest = name.rpartition(".toml")
    if ending and rest[:1] in {"", "/"}:
        return file + ending, rest[1:]
    suite, _, benchmark = name.partition("/")
    return suite, benchmark
