"""What trajectories of all problems share (``--log-features``): whose they are, the columns that say so, the files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.base.digest import digest_of
from harness.base.engine import stage
from harness.base.vocabulary import Outcome
from harness.problems.programs.cell import Cell
from harness.problems.programs.request import Request
from harness.problems.programs.tracks import REFERENCES
from harness.problems.protocol import Session
from harness.record.parquet import schema_of, write_frame
from harness.record.rows import Row

__all__ = ["CELL_COLUMNS", "Task", "file_of", "frame_of", "taken_of", "write_frames"]

if TYPE_CHECKING:
    import polars

Taken = TypeVar("Taken")
Task = tuple[Cell, Row]
"""A cell that is ok, with one of its rows."""

CELL_COLUMNS: dict[str, str] = {
    **dict.fromkeys(("cell", "benchmark", "target", "track", "policy", "policy_digest"), "String"),
    "seed": "Int64",
    "decisions_digest": "String",
}
"""The columns that say whose a row is, and their types (of polars)."""


def taken_of(
    problem: str, request: Request, session: Session, take: Callable[[Task], Taken], *, alone: bool
) -> list[tuple[Task, Taken]]:
    """What ``take`` gives of each cell that is ok and whose policy is of the problem, and of the track's references,
    which stand for LLVM's own decisions; in order. ``alone``: of references where there are no others, too.
    """
    tasks = _tasks(problem, request, session.recorder.rows, alone)
    found = stage("features", take, tasks, session.engine, session.observer, lambda task: task[0].name)
    return sorted(found, key=lambda one: _place(one[0][1]))


def _tasks(problem: str, request: Request, rows: Sequence[Row], alone: bool) -> list[Task]:
    references = REFERENCES[request.track]
    own = {policy.name for policy in request.policies if policy.manifest.problem == problem}
    wanted = {*own, *references} if own or alone else own
    by_place = {_place(row): row for row in rows if row.outcome is Outcome.OK}
    return [
        (cell, row)
        for cell in request.cells
        if cell.policy.name in wanted
        and (row := by_place.get((cell.program.benchmark.name, cell.target, cell.policy.name, cell.seed, cell.copy)))
    ]


def _place(row: Row) -> tuple[str, str, str, int, int]:
    return row.benchmark, row.target, row.policy, row.seed, row.copy_


def file_of(request: Request, session: Session, ending: str) -> Path:
    """The file beside the run: the same for the same request."""
    name = f"{request.suite.name}-{request.track}-{digest_of(request.identity)[:12]}{ending}"
    return session.recorder.results / name


def frame_of(
    columns: Mapping[str, str], row: Row, shared: Mapping[str, Any], own: Mapping[str, Sequence[Any]]
) -> "polars.DataFrame":
    """The rows of one cell. ``shared``: what all of them have beside ``CELL_COLUMNS``; ``own``: one value a row."""
    import polars

    cell = {name: getattr(row, name) for name in CELL_COLUMNS} | {"target": row.target.value}
    height = len(next(iter(own.values())))
    values = {**{name: [value] * height for name, value in (cell | dict(shared)).items()}, **own}
    return polars.DataFrame({name: values[name] for name in columns}, schema=schema_of(columns))


def write_frames(path: Path, frames: Iterable["polars.DataFrame"]) -> Path | None:
    """Write the file, one frame after the other; None where they have no rows."""
    import polars

    full = [frame for frame in frames if frame.height]
    if not full:
        return None
    write_frame(path, polars.concat(full))
    return path
