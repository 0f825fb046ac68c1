"""A run of solvers: one at a time, each cell recorded as it ends; then the run file."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from harness.base.digest import digest_of
from harness.base.errors import PrerequisiteError
from harness.base.progress import Observer
from harness.base.vocabulary import Target, Track
from harness.measure import choose_metrics
from harness.problems.sharding.cell import SolverCell, SolverResult, cached_solution, run_solver_cell, solver_cell_key
from harness.problems.sharding.files import load_instance, require_file
from harness.problems.sharding.judge import EvaluatorError
from harness.problems.sharding.request import SolveRequest
from harness.problems.sharding.suite import Problem
from harness.record.decisions import store_decisions
from harness.record.index import require_sound
from harness.record.journal import Journal
from harness.record.rows import BenchmarkFacts, History, InstanceFacts, Row, Solving
from harness.record.runfile import write_run
from harness.run.engines import LocalPool
from harness.run.provenance import machine_fields
from harness.run.report import RunReport, compare_with_recorded, failed_rows
from harness.sandbox.bench import Bench
from harness.timing.lock import alone

__all__ = ["SolveReport", "execute_solving"]

_TICK = 1.0
"""Seconds."""


@dataclass(frozen=True)
class SolveReport:
    """What a run of solvers did."""

    run: RunReport
    missing: dict[str, str]
    """Instances that are not here, each with the reason."""


@dataclass
class _Tally:
    computed: int = 0
    rows: list[Row] = field(default_factory=list)
    histories: list[History] = field(default_factory=list)


def execute_solving(
    request: SolveRequest, bench: Bench, results: Path, observer: Observer, command: Sequence[str]
) -> SolveReport:
    """Do the run. An interrupted one, asked for again, does what is left.

    Raises HarnessError when nothing sound could come of it: an instance that was named cannot be had, or none can; a
    full disk; an assignment that costs less than a proven lower bound.
    """
    bench.store.check_anew()
    bench.sandbox.probe()
    started = datetime.now(UTC)
    metrics = tuple(metric.name for metric in choose_metrics((), Track.SHARDING))
    require_sound(results)  # a torn run file is reported now, not when all is done
    with ExitStack() as cleanup:
        journal = Journal(results, _plan(request, bench))
        cleanup.callback(journal.close, remove=False)
        missing = _load_instances(request, bench, observer)
        cells = [cell for cell in request.cells if cell.problem.entry.name not in missing]
        try:
            tally = _cells(cells, metrics, bench, observer, journal, results)
        except EvaluatorError:
            cleanup.pop_all()
            journal.close(remove=True)  # nothing that it judged counts
            raise
        file = None
        earlier = compare_with_recorded(results, tally.rows, request.suite.name)
        if not earlier.recorded:
            header = _header(request, missing, bench, command, started)
            file = write_run(results, header, tally.rows, histories=tally.histories)
        cleanup.pop_all()
        journal.close(remove=True)
    failed = failed_rows(tally.rows)
    report = RunReport(
        tuple(tally.rows), len(cells), tally.computed, failed, file, earlier.reproduced, earlier.contradicted
    )
    return SolveReport(report, missing)


def _plan(request: SolveRequest, bench: Bench) -> str:
    return digest_of(
        [
            [(cell.name, cell.problem.digest, cell.policy.digest) for cell in request.cells],
            [request.time_scale, len(request.cores), request.suite.definition.version],
            [bench.toolchain.fingerprint.llvm, bench.isolation.value],
        ]
    )


def _load_instances(request: SolveRequest, bench: Bench, observer: Observer) -> dict[str, str]:
    """Parse those that are new; those that cannot be had, with the reason."""
    missing: dict[str, str] = {}
    observer.stage("load", len(request.problems))
    for problem in request.problems:
        try:
            load_instance(problem, bench.store)
            require_file(problem, bench.store)  # for the solvers: what was parsed before may be gone
        except PrerequisiteError as error:
            if request.named or len(missing) + 1 == len(request.problems):
                raise
            missing[problem.entry.name] = error.message
        observer.advance(1, problem.id)
    return missing


def _cells(
    cells: Sequence[SolverCell],
    metrics: tuple[str, ...],
    bench: Bench,
    observer: Observer,
    journal: Journal,
    results: Path,
) -> _Tally:
    """Every cell: from the journal, the cache, or solved now; each recorded as it ends."""
    tally = _Tally()
    pending: list[SolverCell] = []
    for cell in cells:
        key = solver_cell_key(cell, bench)
        entry = _entry(cell, key)
        if rows := journal.cells.get(entry):
            tally.rows += rows
            tally.histories += [journal.histories[entry]] if entry in journal.histories else []
        elif known := cached_solution(key, metrics, bench):
            _record(cell, known, metrics, bench, tally, journal, results)
        else:
            pending.append(cell)
    if not pending:
        return tally
    observer.stage("solve", sum(cell.seconds for cell in pending))
    task = partial(run_solver_cell, metrics=metrics, bench=bench)
    with alone(lambda: observer.advance(0, "waiting: another harness is measuring on this machine")):
        ticker = _Ticker(observer, pending)
        with ticker.running():
            for done in LocalPool(1).run(task, pending):
                if done.value is None:
                    raise done.error or RuntimeError("a worker returned nothing")
                _record(done.task, done.value, metrics, bench, tally, journal, results)
                tally.computed += 1
                ticker.finished(done.task)
    return tally


def _entry(cell: SolverCell, key: str) -> str:
    """Name of a cell in the journal: two policies of one solver share a key, not their rows."""
    return f"{key}:{cell.policy.name}"


def _record(
    cell: SolverCell,
    result: SolverResult,
    metrics: tuple[str, ...],
    bench: Bench,
    tally: _Tally,
    journal: Journal,
    results: Path,
) -> None:
    rows, history = result.rows(cell, metrics, bench.isolation), result.history(cell)
    if result.decisions is not None:
        store_decisions(results, result.decisions.encode())
    journal.add(_entry(cell, result.key), rows, history)
    tally.rows += rows
    tally.histories += [] if history is None else [history]


def _header(
    request: SolveRequest, missing: dict[str, str], bench: Bench, command: Sequence[str], started: datetime
) -> dict[str, Any]:
    there = [problem for problem in request.problems if problem.entry.name not in missing]
    return machine_fields(bench, 1, command, started, [Target.X86_64]) | {
        "suite": request.suite.name,
        "suite_version": request.suite.definition.version,
        "track": Track.SHARDING,
        "benchmarks": {problem.entry.name: _facts(problem) for problem in there},
        "min_coverage": request.suite.definition.min_coverage,
        "trained_on": _trained_on(request, there),
        "solving": Solving(
            time_scale=request.time_scale,
            cores=len(request.cores),
            instances={
                p.entry.name: InstanceFacts(seconds=p.entry.seconds, best=p.entry.best, bound=p.entry.bound)
                for p in there
            },
            missing=missing,
        ),
    }


def _trained_on(request: SolveRequest, there: Sequence[Problem]) -> dict[str, tuple[str, ...]]:
    """Of each policy, the instances that it was trained on: named alone, or with the others of their split."""
    found = {
        policy.name: tuple(
            problem.entry.name
            for problem in there
            if {problem.id, f"{problem.suite}:{problem.entry.split.value}"} & set(policy.manifest.trained_on)
        )
        for policy in request.policies
    }
    return {name: instances for name, instances in found.items() if instances}


def _facts(problem: Problem) -> BenchmarkFacts:
    entry = problem.entry
    return BenchmarkFacts(split=entry.split, origin=problem.origin.value, program_digest=problem.digest)


class _Ticker:
    """Moves the progress on while a solver runs: by seconds, up to the solver's limit."""

    def __init__(self, observer: Observer, cells: Sequence[SolverCell]) -> None:
        self._observer, self._left = observer, list(cells)
        self._told = 0.0  # seconds of the cell that runs now
        self._since = monotonic()
        self._ended = Event()
        self._lock = Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Tick meanwhile."""
        thread = Thread(target=self._tick, name="ticker", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def finished(self, cell: SolverCell) -> None:
        """This cell has ended: all of its seconds are done."""
        with self._lock:
            self._left.remove(cell)
            told, self._told, self._since = self._told, 0.0, monotonic()
            if told < cell.seconds:
                self._observer.advance(cell.seconds - told, cell.name)

    def _tick(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                if not self._left:
                    return
                cell = self._left[0]
                spent = min(monotonic() - self._since, cell.seconds)
                if spent > self._told:
                    self._observer.advance(spent - self._told, cell.name)
                    self._told = spent
