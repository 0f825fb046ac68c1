"""What a run on programs needs before its cells: sources, inputs, modules; then the cells as tasks."""

from collections.abc import Sequence
from dataclasses import replace

from harness.problems.programs.cell import CellTask, task_of
from harness.problems.programs.rates import is_counted
from harness.problems.programs.request import Request
from harness.problems.programs.stages import (
    check_ready,
    copy_modules,
    fetch_sources,
    freeze_modules,
    fresh_inputs,
    generate_inputs,
    try_hidden,
)
from harness.problems.protocol import Session
from harness.record.seed import seed_of
from harness.verify import require_counter

__all__ = ["begin", "with_fresh_inputs"]


def begin(request: Request, session: Session) -> list[CellTask]:
    """Every cell, when all that they need is in the cache. Raises HarnessError when it cannot be had."""
    bench, engine, observer = session.bench, session.engine, session.observer
    counted = is_counted(request.metrics)
    if counted:
        for target in request.targets:
            require_counter(target, bench)
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
    check_ready(request.cells, bench, engine, observer)
    return [task_of(cell, request.metrics_on(cell.target, bench), bench, counted=counted) for cell in request.cells]


def with_fresh_inputs(pending: Sequence[CellTask], session: Session) -> list[CellTask]:
    """The tasks, each with the input nobody has seen that its new object is also run on."""
    programs = [task.cell.program for task in pending]
    seed = seed_of(session.recorder.journal)
    made = fresh_inputs(programs, seed, session.bench, session.engine, session.observer)
    return [replace(task, besides=made.get(task.cell.program.id)) for task in pending]
