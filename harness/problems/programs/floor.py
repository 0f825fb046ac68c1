"""The track's floor where a policy failed: what a failed program counts as is measured, not assumed."""

from collections.abc import Iterable, Sequence
from functools import partial

from harness.base.engine import stage
from harness.base.vocabulary import Target
from harness.policy.load import load_policy
from harness.policy.tracks import facts_of
from harness.problems.programs.cell import Cell, CellResult, CellTask, task_of
from harness.problems.programs.rates import is_counted
from harness.problems.programs.request import Request
from harness.problems.programs.stages import freeze_modules
from harness.problems.protocol import Session
from harness.record.rows import Row, failed_rows
from harness.sandbox.bench import Bench

__all__ = ["failures", "measure_floor", "reference_failures"]


def failures(rows: Iterable[Row]) -> set[tuple[str, Target]]:
    """Program and target of every cell that failed."""
    return {(row.benchmark, row.target) for row in failed_rows(rows) if not row.copy_}


def reference_failures(rows: Iterable[Row], track: str) -> list[Row]:
    """Those of the reference: with nothing to compare with, such a program counts for nobody."""
    reference = facts_of(track).references[0]
    return [row for row in failed_rows(rows) if row.policy == reference and not row.copy_]


def measure_floor(
    request: Request, session: Session, failed: Iterable[tuple[str, Target]], besides: Sequence[Cell] = ()
) -> list[Cell]:
    """Compute and record the floor's cells on what failed, but for those of the request and those ``besides``."""
    bench, recorder = session.bench, session.recorder
    name = facts_of(request.track).floor
    cells_there = (*request.cells, *besides)
    there = {(cell.program.benchmark.name, cell.target) for cell in cells_there if cell.policy.name == name}
    programs = {program.benchmark.name: program for program in request.programs}
    policy = load_policy(name)
    cells = [Cell(programs[b], target, request.track, policy, 0) for b, target in sorted(set(failed) - there)]
    if not cells:
        return []
    freeze_modules([(cell.program, cell.target, cell.level) for cell in cells], bench, session.engine, session.observer)
    tasks = [
        task_of(cell, request.metrics_on(cell.target, bench), bench, counted=is_counted(request.metrics))
        for cell in cells
    ]
    pending = [task for task in tasks if not recorder.recall(task.entry)]
    computed = stage(name, partial(_computed, bench=bench), pending, session.engine, session.observer, lambda t: t.name)
    for task, result in computed:
        task.keep(result, bench)
        recorded = task.recorded(result, bench.isolation)
        assert recorded is not None  # a baseline is asked once
        recorder.add(task.entry, recorded)
    return cells


def _computed(task: CellTask, bench: Bench) -> CellResult:
    return task.compute(bench)
