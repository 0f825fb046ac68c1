"""A run: fetch, freeze, compute every cell, record each as it ends, finish the run file.

Whoever calls watches through an ``Observer``; nothing here prints.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import harness
from harness.digest import digest_of
from harness.engine import Engine
from harness.errors import HarnessError
from harness.flow.bench import Bench
from harness.flow.cell import Cell, CellResult, cached_result, cell_key, run_cell
from harness.flow.request import Request
from harness.freeze import FrozenModule, freeze, freeze_key
from harness.freeze.freeze import program_digest
from harness.paths import ROOT
from harness.record.decisions import store_decisions
from harness.record.rows import BenchmarkFacts, Host, Row
from harness.record.runfile import Journal, write_run
from harness.suite.load import Program
from harness.suite.sources import is_fetched, source_tree
from harness.suite.workloads import prepare
from harness.vocabulary import Level, Outcome, Target

__all__ = ["Observer", "Outlook", "RunReport", "execute_run", "fetch_sources", "outlook"]

Task = TypeVar("Task")
Value = TypeVar("Value")


class Observer(Protocol):
    """Told of progress; weights are relative costs, so that time left can be estimated."""

    def stage(self, name: str, total: float) -> None:
        """A stage of ``total`` weight begins."""

    def advance(self, weight: float, what: str) -> None:
        """A piece of the stage ended."""


@dataclass(frozen=True)
class Outlook:
    """What a run would do (``--dry-run``)."""

    cells: int
    cached: int
    to_fetch: int
    to_freeze: int
    seconds: float
    """Estimate of the time to do, from what earlier cells on this machine cost."""


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    rows: tuple[Row, ...]
    cells: int
    computed: int
    """Cells that were in neither cache nor journal."""
    failed: tuple[Row, ...]
    """One row of each cell that ended with an outcome other than ``ok`` and ``unsupported``."""
    file: Path | None
    """The new run file; None when all of it was recorded before."""


@dataclass
class _Tally:
    computed: int = 0
    rows: list[Row] = field(default_factory=list)

    def add(self, rows: Sequence[Row]) -> None:
        self.rows += rows

    @property
    def failed(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.outcome not in (Outcome.OK, Outcome.UNSUPPORTED))


def outlook(request: Request, bench: Bench, jobs: int) -> Outlook:
    """What ``execute_run`` would do now."""
    store = bench.store
    fetched = {p.benchmark.source: is_fetched(p, store) for p in request.programs}
    frozen = {
        (p.id, target, level): store.path("frozen", freeze_key(p, target, level, bench.toolchain)).is_dir()
        for p, target, level in request.modules
    }
    to_do = [cell for cell in request.cells if not _is_cached(cell, frozen, request, bench)]
    missing = [module for module in request.modules if not frozen[(module[0].id, module[1], module[2])]]
    return Outlook(
        cells=len(request.cells),
        cached=len(request.cells) - len(to_do),
        to_fetch=sum(not done for done in fetched.values()),
        to_freeze=len(missing),
        seconds=_estimate(to_do, missing, bench) / jobs,
    )


def _is_cached(cell: Cell, frozen: dict[Any, bool], request: Request, bench: Bench) -> bool:
    if cell.target not in cell.policy.manifest.targets:
        return True
    if not frozen[(cell.program.id, cell.target, cell.level)]:
        return False
    module = freeze(cell.program, cell.target, cell.level, bench.toolchain, bench.store)
    return cached_result(cell_key(cell, module, bench), list(request.metrics), bench) is not None


def _estimate(cells: Sequence[Cell], modules: Sequence[tuple[Program, Target, Level]], bench: Bench) -> float:
    """CPU seconds: rates of this machine where the cache remembers them, else of a slow one."""
    rates = bench.store.get("rates", "rates".ljust(64, "0")) or {"freeze": 0.09, "cell": 2.0}
    files = sum(len(program.benchmark.files) for program, _, _ in modules)
    return float(rates["freeze"]) * files + float(rates["cell"]) * len(cells)


def fetch_sources(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer, offered: Path | None = None
) -> None:
    """Fetch and unpack every source tree that is not there. Raises the first error, by name."""
    trees = {program.benchmark.source: program for program in programs}
    missing = [p for p in trees.values() if not is_fetched(p, bench.store) or offered is not None]
    fetch = partial(_fetch, bench=bench, offered=offered)
    _stage(engine, observer, "fetch", fetch, missing, lambda p: 1.0, lambda p: p.benchmark.source)


def _fetch(program: Program, bench: Bench, offered: Path | None) -> None:
    source_tree(program, bench.store, offered)


def execute_run(
    request: Request, bench: Bench, engine: Engine, results: Path, observer: Observer, command: Sequence[str]
) -> RunReport:
    """Do the run. An interrupted one, asked for again, does what is left.

    Raises HarnessError when nothing sound could come of it: sources that cannot be had or frozen,
    a full disk, a broken reference.
    """
    plan = digest_of(
        [
            [(c.program.id, c.target.value, c.policy.digest, c.policy.name, c.seed) for c in request.cells],
            [request.track.value, request.metrics, request.suite.definition.version],
            [bench.toolchain.fingerprint.llvm, bench.toolchain.fingerprint.runtime, bench.compile_timeout],
        ]
    )
    started = datetime.now(UTC)
    with ExitStack() as cleanup:
        journal = Journal(results, plan)
        cleanup.callback(journal.close, remove=False)
        fetch_sources(request.programs, bench, engine, observer)
        _prepare(request, bench, engine, observer)
        tally = _cells(request, bench, engine, observer, journal, results)
        new = not _recorded(results, tally.rows)
        file = write_run(results, _header(request, bench, engine, command, started), tally.rows) if new else None
        cleanup.pop_all()
        journal.close(remove=True)
    return RunReport(tuple(tally.rows), len(request.cells), tally.computed, tally.failed, file)


def _prepare(request: Request, bench: Bench, engine: Engine, observer: Observer) -> None:
    """Inputs and frozen modules, the large ones first."""
    inputs = partial(_inputs, bench=bench)
    missing = [p for p in request.programs if not all(_input_exists(p, bench))]
    _stage(engine, observer, "inputs", inputs, missing, lambda p: 1.0, lambda p: p.benchmark.name)
    modules = [m for m in request.modules if not bench.store.path("frozen", freeze_key(*m, bench.toolchain)).is_dir()]
    modules.sort(key=lambda module: -len(module[0].benchmark.files))
    _stage(
        engine,
        observer,
        "freeze",
        partial(_freeze, bench=bench),
        modules,
        lambda module: float(len(module[0].benchmark.files)),
        lambda module: f"{module[0].benchmark.name} {module[1].value} -{module[2].value}",
    )


def _input_exists(program: Program, bench: Bench) -> list[bool]:
    from harness.suite.workloads import input_key

    return [
        bench.store.path("inputs", input_key(item)).is_dir()
        for workload in program.benchmark.workloads
        if workload.kind == "count"
        for item in workload.inputs
    ]


def _inputs(program: Program, bench: Bench) -> None:
    prepare(program, bench.store)


def _freeze(module: tuple[Program, Target, Level], bench: Bench) -> None:
    freeze(*module, bench.toolchain, bench.store)


def _cells(
    request: Request, bench: Bench, engine: Engine, observer: Observer, journal: Journal, results: Path
) -> _Tally:
    """Every cell: from the journal, the cache, or computed now; each recorded as it ends."""
    tally = _Tally()
    metrics = list(request.metrics)
    pending: list[tuple[float, Cell]] = []
    for cell in request.cells:
        frozen = _frozen(cell, bench)
        key = cell_key(cell, frozen, bench)
        if rows := journal.cells.get(_entry(cell, key)):
            tally.add(rows)
        elif known := cached_result(key, metrics, bench):
            _record(cell, known, metrics, tally, journal, results)
        else:
            pending.append((_weight(cell, frozen), cell))
    pending.sort(key=lambda entry: -entry[0])  # the long ones first, so that none is left over at the end
    weights = {cell.identity: weight for weight, cell in pending}
    if pending:
        observer.stage("cells", sum(weights.values()))
    task = partial(run_cell, metrics=metrics, bench=bench)
    for done in engine.run(task, [cell for _, cell in pending]):
        if done.value is None:
            raise done.error or RuntimeError("a worker returned nothing")
        _record(done.task, done.value, metrics, tally, journal, results)
        tally.computed += 1
        observer.advance(weights[done.task.identity], done.task.name)
    return tally


def _frozen(cell: Cell, bench: Bench) -> FrozenModule | None:
    """The cell's module, which is in the cache by now; None where the policy is unsupported."""
    if cell.target not in cell.policy.manifest.targets:
        return None
    return freeze(cell.program, cell.target, cell.level, bench.toolchain, bench.store)


def _weight(cell: Cell, frozen: FrozenModule | None) -> float:
    """Relative cost: compilation grows with the module, and starting tools costs the rest."""
    if frozen is None:
        return 0.0
    emulated = 8_000.0 if cell.target is not Target.X86_64 else 0.0
    return 6_000.0 + emulated + frozen.instructions


def _entry(cell: Cell, key: str) -> str:
    """Name of a cell in the journal: two policies that decide alike share a key, not their rows."""
    return f"{key}:{cell.policy.name}"


def _record(cell: Cell, result: CellResult, metrics: list[str], tally: _Tally, journal: Journal, results: Path) -> None:
    rows = result.rows(cell, metrics)
    if result.decisions is not None:
        store_decisions(results, result.decisions.encode())
    journal.add(_entry(cell, result.key), rows)
    tally.add(rows)


def _stage(
    engine: Engine,
    observer: Observer,
    name: str,
    function: Callable[[Task], Value],
    tasks: Sequence[Task],
    weight: Callable[[Task], float],
    label: Callable[[Task], str],
) -> None:
    """Run one stage's tasks; the first error ends the run."""
    if not tasks:
        return
    observer.stage(name, sum(weight(task) for task in tasks))
    for done in engine.run(function, tasks):
        if done.error is not None:
            raise done.error
        observer.advance(weight(done.task), label(done.task))


def _recorded(results: Path, rows: Sequence[Row]) -> bool:
    """Whether every one of these rows stands in a finished run already."""
    from harness.record import open_index

    with open_index(results) as index:
        known = index.execute("SELECT DISTINCT cell, policy, metric, value, outcome FROM rows").fetchall()
    wanted = {(row.cell, row.policy, row.metric, row.value, row.outcome.value) for row in rows}
    return wanted <= set(known)


def _header(
    request: Request, bench: Bench, engine: Engine, command: Sequence[str], started: datetime
) -> dict[str, Any]:
    commit, dirty = _commit()
    fingerprint = bench.toolchain.fingerprint
    facts = {
        p.benchmark.name: BenchmarkFacts(
            split=p.benchmark.split, origin=p.source.origin.value, program_digest=program_digest(p)
        )
        for p in request.programs
    }
    return {
        "suite": request.suite.name,
        "suite_version": request.suite.definition.version,
        "track": request.track,
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": tuple(command),
        "harness_version": harness.__version__,
        "commit": commit,
        "dirty": dirty,
        "llvm_version": bench.toolchain.version,
        "llvm": fingerprint.llvm,
        "runtime": {t.value: bench.toolchain.runtime_fingerprint(t) for t in request.targets},
        "host": _host(),
        "jobs": engine.workers,
        "compile_timeout": bench.compile_timeout,
        "benchmarks": facts,
    }


def _commit() -> tuple[str | None, bool | None]:
    """The checkout's commit, and whether anything but results differs from it."""
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        status = ["git", "status", "--porcelain", "--", ".", ":!results"]
        changed = subprocess.run(status, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None, None
    return head.stdout.strip(), bool(changed.stdout.strip())


def _host() -> Host:
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return Host(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        kernel=os.uname().release,
        governor=governor.read_text().strip() if governor.is_file() else None,
        load=round(os.getloadavg()[0], 2),
        sandbox="limits",
    )


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return os.uname().machine
