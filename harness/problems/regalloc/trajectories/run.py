"""``harness run --log-features``: the trajectories of a run's cells that allocate registers, and of LLVM's Greedy."""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import unquote

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.freeze import FrozenModule
from harness.problems.programs.cell import frozen_of
from harness.problems.programs.request import Request
from harness.problems.programs.take import Made, costs_of_functions
from harness.problems.programs.trajectories import Task, file_of, taken_of
from harness.problems.protocol import Session
from harness.problems.regalloc.replay import REGALLOC, replay_plan
from harness.problems.regalloc.trajectories.collect import trajectory
from harness.problems.regalloc.trajectories.table import (
    COST,
    Cell,
    Judged,
    write_allocations,
    write_evictions,
    write_ranges,
)
from harness.record.decisions import load_decisions
from harness.record.runfile import ALLOCATIONS, EVICTIONS, RANGES
from harness.sandbox.bench import Bench

__all__ = ["judged", "log_allocations"]


def log_allocations(request: Request, session: Session) -> list[Path]:
    """Take the trajectories of all cells that are ok and allocate registers, and of the track's reference, which is
    LLVM's Greedy; write functions, live ranges and evictions beside the run. The files that were written."""
    take = partial(_take, bench=session.bench, results=session.recorder.results)
    taken = taken_of(REGALLOC, request, session, take, alone=False)
    cells = [Cell(row, functions) for (_, row), functions in taken]
    written = (
        write_allocations(file_of(request, session, ALLOCATIONS), cells),
        write_ranges(file_of(request, session, RANGES), cells),
        write_evictions(file_of(request, session, EVICTIONS), cells),
    )
    return [path for path in written if path]


def _take(task: Task, bench: Bench, results: Path) -> list[Judged]:
    cell, row = task
    frozen = frozen_of(cell, bench)
    if cell.policy.manifest.problem == REGALLOC:
        assert row.decisions_digest
        return judged(load_decisions(results, row.decisions_digest), frozen, bench)
    return judged(Decisions(REGALLOC, frozen.level, _GREEDY), frozen, bench)


_GREEDY = {"allocator": "greedy"}


def judged(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> list[Judged]:
    """The trajectory of these decisions, with what each function costs then, and under Greedy."""
    functions = trajectory(decisions, frozen, bench)
    if not functions:
        return []
    own = _costs(decisions, frozen, bench)
    greedy = _costs(Decisions(REGALLOC, frozen.level, _GREEDY), frozen, bench)
    names = [(one, unquote(one.name)) for one in functions]
    return [Judged(one, own.get(name), greedy.get(name)) for one, name in names]


def _costs(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> Mapping[str, float]:
    """Function → cost, where it can be told."""
    assert frozen.program is not None, "programs of suites have costs"
    plan = replay_plan(decisions, frozen.target)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    try:
        found = costs_of_functions(made, [COST], bench)[COST]
    except CellError:
        return {}
    return {name: cost for name, cost in found.items() if not math.isnan(cost)}
