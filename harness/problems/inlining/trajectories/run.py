"""``harness run --log-features``: the trajectories of a run's cells, its track's reference among them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness.base.engine import Engine, stage
from harness.base.progress import Observer
from harness.base.vocabulary import Outcome
from harness.policy.tracks import facts_of
from harness.problems.inlining import INLINING
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.trajectories.collect import Visit, trajectory
from harness.problems.inlining.trajectories.table import Cell, write_trajectories
from harness.problems.programs.cell import Cell as RunCell
from harness.problems.programs.cell import frozen_of
from harness.problems.programs.tracks import REFERENCES
from harness.record.decisions import load_decisions
from harness.record.rows import Row
from harness.sandbox.bench import Bench

__all__ = ["log_trajectories"]


def log_trajectories(
    path: Path, cells: Sequence[RunCell], rows: Sequence[Row], bench: Bench, engine: Engine, observer: Observer
) -> Path | None:
    """Take the trajectories of all cells that are ok and decide what to inline, and of the track's reference, which
    stands for LLVM's own heuristic; write them to ``path``, in a results folder. None where there are none."""
    by_identity = {
        (row.benchmark, row.target, row.policy, row.seed, row.copy_): row for row in rows if row.outcome is Outcome.OK
    }
    tasks = [
        (cell, row)
        for cell in cells
        if (cell.policy.manifest.problem == INLINING or cell.policy.name in REFERENCES[cell.track])
        and (row := by_identity.get((cell.program.benchmark.name, cell.target, cell.policy.name, cell.seed, cell.copy)))
    ]
    if not tasks:
        return None
    take = partial(_take, bench=bench, results=path.parent)
    found = stage("features", take, tasks, engine, observer, lambda task: task[0].name)
    taken = [_with_reward(cell, row, visits, rows) for (cell, row), visits in found]
    taken.sort(key=lambda cell: (cell.row.benchmark, cell.row.target, cell.row.policy, cell.row.seed, cell.row.copy_))
    return write_trajectories(path, taken)


def _take(task: tuple[RunCell, Row], bench: Bench, results: Path) -> list[Visit]:
    cell, row = task
    frozen = frozen_of(cell, bench)
    if cell.policy.manifest.problem == INLINING:
        assert row.decisions_digest
        decisions = load_decisions(results, row.decisions_digest)
    else:
        decisions = default_decisions(frozen, bench)
    return trajectory(decisions, frozen, bench)


def _with_reward(cell: RunCell, row: Row, visits: Sequence[Visit], rows: Sequence[Row]) -> Cell:
    metric = facts_of(cell.track).metric  # it repeats exactly, and every cell has it
    same = [
        other
        for other in rows
        if (other.benchmark, other.target, other.copy_, other.metric) == (row.benchmark, row.target, row.copy_, metric)
    ]
    own = next((o.value for o in same if (o.policy, o.seed) == (row.policy, row.seed)), None)
    reference = next((o.value for o in same if o.policy == REFERENCES[cell.track][0]), None)
    return Cell(row, visits, metric, own, reference)
