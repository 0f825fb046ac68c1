"""A run: fetch, freeze, compute every cell, record each as it ends, finish the run file."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.engine import Engine
from harness.base.progress import Observer
from harness.base.vocabulary import Target
from harness.freeze import FrozenModule
from harness.problems.programs.again import asked_again
from harness.problems.programs.cell import (
    Cell,
    CellResult,
    cached_result,
    cell_key,
    entry_name,
    frozen_of,
    functions_of,
    run_cell,
)
from harness.problems.programs.fresh import seed_of, verify_fresh
from harness.problems.programs.outlook import is_counted, remember_rate
from harness.problems.programs.request import Request
from harness.problems.programs.stages import (
    check_plugin,
    copy_modules,
    fetch_sources,
    freeze_modules,
    fresh_inputs,
    generate_inputs,
    try_hidden,
)
from harness.problems.programs.timing import USUAL_TIMING, Timing, TimingRequest, time_cells
from harness.record.decisions import store_decisions
from harness.record.fresh import Fresh
from harness.record.functions import write_functions
from harness.record.index import require_sound
from harness.record.journal import Journal
from harness.record.rows import Row
from harness.record.runfile import write_run
from harness.run.provenance import header_fields
from harness.run.report import RunReport, compare_with_recorded, failed_rows
from harness.sandbox.bench import Bench
from harness.suite.workloads import ReadyWorkload, remove_inputs
from harness.verify import require_counter

__all__ = ["execute_run"]


@dataclass
class _Tally:
    computed: int = 0
    rows: list[Row] = field(default_factory=list)
    provisional: list[tuple[Cell, CellResult]] = field(default_factory=list)
    """Cells whose policy is asked again at the end: they have no rows before."""
    besides: Mapping[str, ReadyWorkload] = field(default_factory=dict)
    """Of each program, by its id, the input nobody has seen that its new objects were run on."""

    def add(self, rows: Sequence[Row]) -> None:
        self.rows += rows

    def replace(self, rows: Mapping[str, Row], journal: Journal) -> None:
        """Put one row in the place of all that a cell of the journal had, here and there."""
        self.rows = [r for r in self.rows if entry_name(r.cell, r.policy, r.copy_) not in rows] + list(rows.values())
        for name, row in rows.items():
            journal.add(name, [row])


def execute_run(
    request: Request,
    bench: Bench,
    engine: Engine,
    results: Path,
    observer: Observer,
    command: Sequence[str],
    wanted: TimingRequest = USUAL_TIMING,
    *,
    log_features: bool = False,
    fresh: bool = True,
) -> RunReport:
    """Do the run. An interrupted one, asked for again, does what is left.

    ``wanted`` says how much is timed, where a metric of the request is a run time. ``log_features``: also write down
    what policies that decide what to inline, and LLVM's own heuristic, saw and decided. ``fresh``: verify objects on
    inputs that nobody has seen, too.

    Raises HarnessError when nothing sound could come of it: sources that cannot be had or frozen,
    a full disk, a broken reference, no sandbox on this machine.
    """
    journal_key = digest_of(
        [
            [(c.program.id, c.target.value, c.policy.digest, c.policy.name, c.seed, c.copy) for c in request.cells],
            request.hidden,
            [request.track.value, request.metrics, request.timed_metrics, request.suite.definition.version],
            [bench.toolchain.fingerprint.llvm, bench.toolchain.fingerprint.runtime, bench.compile_timeout],
            [bench.isolation.value, fresh],
        ]
    )
    bench.store.check_anew()
    bench.sandbox.probe()
    if is_counted(request.metrics):
        for target in request.targets:
            require_counter(target, bench)
    started = datetime.now(UTC)
    require_sound(results)  # a torn run file is reported now, not when all is done
    with ExitStack() as cleanup:
        journal = Journal(results, journal_key)
        cleanup.callback(journal.close, remove=False)
        verified = Fresh(seed=seed_of(journal) if fresh else None)
        fetch_sources(request.programs, bench, engine, observer)
        generate_inputs(request.programs, bench, engine, observer)
        if request.timed_metrics:
            generate_inputs(request.programs, bench, engine, observer, "time")
        freeze_modules(request.modules, bench, engine, observer)
        if request.hidden:
            generate_inputs(request.programs, bench, engine, observer, "hidden")
            try_hidden(request.programs, bench, engine, observer)
        if request.copies:
            copy_modules(request.cells, bench, engine, observer)
        check_plugin(request.cells, bench, engine, observer)
        tally = _cells(request, bench, engine, observer, journal, results, verified.seed)
        for cell, result in asked_again(tally.provisional, bench, engine, observer):
            _record(cell, result, bench, list(request.metrics), tally, journal, results)
        refuted: dict[str, Row] = {}
        if verified.seed is not None:
            verified, refuted = verify_fresh(request, tally.rows, verified.seed, bench, engine, observer, results)
            tally.replace(refuted, journal)
            for ready in tally.besides.values():
                remove_inputs(ready.workload, bench.store)
        timing = Timing()
        if request.timed_metrics:
            timing = time_cells(request, wanted, bench, engine, observer, journal, results, refuted)
            tally.add(timing.rows)
        file = None
        earlier = compare_with_recorded(results, tally.rows, request.suite.name, fresh=verified.objects > 0)
        if not earlier.recorded:
            header = header_fields(request, bench, engine.workers, command, started) | {"fresh": verified}
            file = write_run(results, header, tally.rows, timing.campaigns, timing.blocks)
            modules = [row for row in tally.rows if not row.copy_]  # functions of copies have names that say nothing
            write_functions(file, modules, partial(functions_of, bench=bench))
        trajectories = None
        if log_features:
            from harness.problems.inlining.trajectories.run import log_trajectories
            from harness.problems.inlining.trajectories.table import ENDING

            name = f"{request.suite.name}-{request.track.value}-{journal_key[:12]}{ENDING}"
            trajectories = log_trajectories(results / name, request.cells, tally.rows, bench, engine, observer)
        cleanup.pop_all()
        journal.close(remove=True)
    return RunReport(
        rows=tuple(tally.rows),
        cells=len(request.cells),
        computed=tally.computed,
        failed=failed_rows(tally.rows),
        file=file,
        reproduced=earlier.reproduced,
        contradicted=earlier.contradicted,
        overturned=earlier.overturned,
        refuted_before=earlier.refuted,
        fresh=verified,
        timing=timing,
        trajectories=trajectories,
    )


def _cells(
    request: Request,
    bench: Bench,
    engine: Engine,
    observer: Observer,
    journal: Journal,
    results: Path,
    seed: str | None,
) -> _Tally:
    """Every cell: from the journal, the cache, or computed now; each recorded as it ends.

    ``seed``: of the inputs that nobody has seen, which what is computed now is also run on; None: there are none.
    """
    tally = _Tally()
    metrics = list(request.metrics)
    counted = is_counted(metrics)
    pending: list[tuple[float, Cell]] = []
    for cell in request.cells:
        frozen = _frozen(cell, bench)
        key = cell_key(cell, frozen, bench)
        if rows := journal.cells.get(entry_name(key, cell.policy.name, cell.copy)):
            tally.add(rows)
        elif frozen is None:  # unsupported: there is nothing to compute
            _record(cell, run_cell(cell, metrics, bench), bench, metrics, tally, journal, results)
        elif known := cached_result(key, metrics, bench):
            _record(cell, known, bench, metrics, tally, journal, results)
        else:
            pending.append((_weight(cell, frozen, counted), cell))
    pending.sort(key=lambda entry: -entry[0])  # the long ones first, so that none is left over at the end
    weights = {cell.identity: weight for weight, cell in pending}
    programs = [cell.program for _, cell in pending]
    if seed is not None:
        tally.besides = fresh_inputs(programs, seed, bench, engine, observer)
    if pending:
        observer.stage("cells", sum(weights.values()))
    task = partial(run_cell, metrics=metrics, bench=bench, besides=tally.besides)
    started = time.monotonic()
    for done in engine.run(task, [cell for _, cell in pending]):
        if done.value is None:
            raise done.error or RuntimeError("a worker returned nothing")
        if done.value.asked is None:
            _record(done.task, done.value, bench, metrics, tally, journal, results)
        else:
            tally.provisional.append((done.task, done.value))
        tally.computed += 1
        observer.advance(weights[done.task.identity], done.task.name)
    if pending:
        remember_rate(
            "counted" if counted else "cells", (time.monotonic() - started) * engine.workers / len(pending), bench
        )
    return tally


def _frozen(cell: Cell, bench: Bench) -> FrozenModule | None:
    """The cell's module, which is in the cache by now; None where the policy is unsupported."""
    if cell.target not in cell.policy.manifest.targets:
        return None
    return frozen_of(cell, bench)


def _weight(cell: Cell, frozen: FrozenModule | None, counted: bool) -> float:
    """Relative cost: compilation grows with the module, and starting tools and running the program cost the rest."""
    if frozen is None:
        return 0.0
    if counted:
        return 40_000.0 + 3 * frozen.instructions
    emulated = 8_000.0 if cell.target is not Target.X86_64 else 0.0
    return 6_000.0 + emulated + frozen.instructions


def _record(
    cell: Cell, result: CellResult, bench: Bench, metrics: list[str], tally: _Tally, journal: Journal, results: Path
) -> None:
    rows = result.rows(cell, metrics, bench.isolation)
    if result.decisions is not None:
        store_decisions(results, result.decisions.encode())
    journal.add(entry_name(result.key, cell.policy.name, cell.copy), rows)
    tally.add(rows)
