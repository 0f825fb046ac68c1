"""``harness run --log-features``: the trajectories of a run's cells, its track's reference among them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness.base.vocabulary import SIZE
from harness.policy.tracks import facts_of
from harness.problems.inlining import INLINING
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.trajectories.collect import Visit, trajectory
from harness.problems.inlining.trajectories.table import Cell, write_trajectories
from harness.problems.programs.cell import frozen_of
from harness.problems.programs.request import Request
from harness.problems.programs.tracks import REFERENCES
from harness.problems.programs.trajectories import Task, file_of, taken_of
from harness.problems.protocol import Session
from harness.record.decisions import load_decisions
from harness.record.rows import Row
from harness.record.runfile import TRAJECTORIES
from harness.sandbox.bench import Bench

__all__ = ["log_trajectories"]


def log_trajectories(request: Request, session: Session) -> Path | None:
    """Take the trajectories of all cells that are ok and decide what to inline, and of the track's references, which
    stand for LLVM's own heuristic; write them beside the run. None where there are none."""
    take = partial(_take, bench=session.bench, results=session.recorder.results)
    # A level is a reference for its inlining too; on the other track references are allocators.
    taken = taken_of(INLINING, request, session, take, alone=request.track == SIZE)
    cells = [_with_reward(row, visits, session.recorder.rows) for (_, row), visits in taken]
    return write_trajectories(file_of(request, session, TRAJECTORIES), cells)


def _take(task: Task, bench: Bench, results: Path) -> list[Visit]:
    cell, row = task
    frozen = frozen_of(cell, bench)
    if cell.policy.manifest.problem == INLINING:
        assert row.decisions_digest
        decisions = load_decisions(results, row.decisions_digest)
    else:
        decisions = default_decisions(frozen, bench)
    return trajectory(decisions, frozen, bench)


def _with_reward(row: Row, visits: Sequence[Visit], rows: Sequence[Row]) -> Cell:
    metric = facts_of(row.track).metric  # it repeats exactly, and every cell has it
    same = [
        other
        for other in rows
        if (other.benchmark, other.target, other.copy_, other.metric) == (row.benchmark, row.target, row.copy_, metric)
    ]
    own = next((o.value for o in same if (o.policy, o.seed) == (row.policy, row.seed)), None)
    reference = next((o.value for o in same if o.policy == REFERENCES[row.track][0]), None)
    return Cell(row, visits, metric, own, reference)
