"""The Python door: the same flow as ``harness run``, with a data frame for an answer."""

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.base.progress import SilentObserver
from harness.problems.protocol import Asked
from harness.problems.registry import benchmarks_of, declared_options, require_own
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
    target: str | Sequence[str] | None = None,
    metrics: str | Iterable[str] = (),
    *,
    results: Path | None = None,
    compile_timeout: float = COMPILE_TIMEOUT,
    trust: bool = False,
    **options: Any,
) -> "pandas.DataFrame":
    """Measure one policy on benchmarks of one suite.

    ``policy`` is a name, the path of a submission's folder, or a loaded ``Policy``. ``benchmarks``
    is a suite's name (``"cbench"``: all of it) or names like ``"cbench/bzip2"``; a suite of one's own
    is named by the path of its file (``"mine/suite.toml"``, ``"mine/suite.toml/fft"``). ``metrics`` are
    those of the track when none is named; ``"all"`` stands for every one. With ``results`` the run is also
    recorded in that folder. ``trust`` runs everything without the sandbox.

    ``options`` are those of ``harness run`` that fit the suite, in Python's spelling. Of programs: ``target``
    (``"x86-64"`` where none is given), ``track``, ``jobs``, ``fresh`` (False: objects are verified on the suite's
    inputs alone), ``timing`` (a ``harness.timing.request.TimingRequest``: how much is timed where run time is asked
    for; the track's references are timed too, and recorded). Of sharding instances (``"iopddl/A"``), which solvers
    are asked about: ``time_scale`` of each instance's limit, and ``cores``.

    Returns one row per cell, with the columns ``benchmark, target, policy, seed, outcome, detail``,
    the digests, and one column per metric (NaN where the outcome is not ``ok`` or it cannot be measured).

    Raises UsageError for names that mean nothing, PrerequisiteError where a tool is missing.
    """
    import tempfile

    suite, names = _suite_of(benchmarks)
    folder, sort = benchmarks_of(suite)
    given = _given(target, metrics, options)
    require_own("run", given, folder, suite)
    if "target" in declared_options("run").get(folder, {}):
        given.setdefault("target", [_USUAL_TARGET])
    request = sort.request(Asked(suite, names, [policy], given))
    engine = local_engine(given.get("jobs") or len(os.sched_getaffinity(0)))
    name = request.policies[0].name
    with tempfile.TemporaryDirectory() as nowhere:
        command = ("evaluate", name, *([f"{suite}/{one}" for one in names] or [suite]))
        bench = open_bench(compile_timeout, trust=trust)
        report = execute_run(request, bench, engine, results or Path(nowhere), SilentObserver(), command)
    rows = [row for row in report.rows if row.policy == name]  # without references, which are timed beside it
    return _frame(rows, request.suite.name, request.measured)


_USUAL_TARGET = "x86-64"


def _given(
    target: str | Sequence[str] | None, metrics: str | Iterable[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """What was given, as the command line would have it. Raises UsageError for an option that there is not."""
    given = {name: value for name, value in options.items() if value is not None}
    if "fresh" in given:
        given |= {"no_fresh": True} if not given.pop("fresh") else {}
    if "timing" in given:
        given |= asdict(given.pop("timing"))
    known = {name for declared in declared_options("run").values() for name in declared}
    if unknown := sorted(given.keys() - known):
        close = difflib.get_close_matches(unknown[0], known, n=1)
        raise UsageError(f"unknown option {unknown[0]!r}", hint=f"did you mean {close[0]!r}?" if close else None)
    if target is not None:
        given["target"] = [target] if isinstance(target, str) else list(target)
    if metrics:
        given["metric"] = [metrics] if isinstance(metrics, str) else list(metrics)
    return given


def _frame(rows: Iterable[Row], suite: str, metrics: Sequence[str]) -> "pandas.DataFrame":
    """One row per cell."""
    import pandas

    cells: dict[tuple[str, str, int, int], dict[str, object]] = {}
    for row in rows:
        fields = row.line()
        cell = cells.setdefault(
            (row.benchmark, row.target.value, row.seed, row.copy_),
            {
                "benchmark": f"{suite}/{row.benchmark}",
                "target": row.target.value,
                "policy": row.policy,
                "seed": row.seed,
                "copy": row.copy_,
                "outcome": row.outcome.value,
                "detail": row.detail,
                **{name: fields.get(name) for name in ("frozen_digest", "decisions_digest", "object_digest")},
                **dict.fromkeys(metrics, float("nan")),
            },
        )
        if row.metric is not None and row.value is not None:
            cell[row.metric] = row.value
    return pandas.DataFrame([cells[key] for key in sorted(cells)])


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
