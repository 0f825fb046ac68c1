"""What trajectories of all problems share (``--log-features``): whose they are, how columns are declared, the files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from harness.apply.compile import run_step
from harness.apply.plan import Step
from harness.base.digest import digest_of
from harness.base.engine import stage
from harness.base.vocabulary import Outcome
from harness.policy.forms.interface import Element, Tensor
from harness.problems.programs.cell import Cell
from harness.problems.programs.request import Request
from harness.problems.programs.tracks import REFERENCES
from harness.problems.protocol import Session
from harness.record.parquet import schema_of, write_frame
from harness.record.rows import Row
from harness.sandbox.bench import Bench

__all__ = [
    *("CELL_COLUMNS", "Columns", "Table", "Task"),
    *("feature_columns", "features_of", "file_of", "saved", "taken_of"),
]

if TYPE_CHECKING:
    import polars

Taken = TypeVar("Taken")
Whole = TypeVar("Whole")
Part = TypeVar("Part")
Task = tuple[Cell, Row]
"""A cell that is ok, with one of its rows."""

CELL_COLUMNS: dict[str, str] = {
    **dict.fromkeys(("cell", "benchmark", "target", "track", "policy", "policy_digest"), "String"),
    "seed": "Int64",
    "decisions_digest": "String",
}
"""The columns that say whose a row is, and their types (of polars)."""

Columns = Mapping[str, tuple[str, Callable[[Whole, Part], Any]]]
"""Column → its type (of polars), and what it has of a part of a whole."""
_KINDS = {Element.INT64: "Int64", Element.FLOAT: "Float32"}
_FILE = "features"


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


def features_of(step: Step, plugin: str, source: Path, bench: Bench) -> bytes:
    """What the plugin writes of features while it follows the step's decisions. ``plugin``: as its options begin.

    Raises CellError: ``not-replayable`` for another module's.
    """
    words = (*step.arguments, "-mllvm", f"-{plugin}-features={_FILE}")
    with bench.store.scratch() as folder:
        run_step(replace(step, arguments=words, leaves=(*step.leaves, _FILE)), source, folder, bench)
        return (folder / _FILE).read_bytes()


def feature_columns(features: Sequence[Tensor], seen: Callable[[Part], Sequence[float]]) -> Columns[Any, Part]:
    """A column for each. ``seen``: the values of a part, in the order of the features."""

    def column(at: int, tensor: Tensor) -> tuple[str, Callable[[Any, Part], float]]:
        return _KINDS[tensor.element], lambda _, part: seen(part)[at]

    return {tensor.name: column(at, tensor) for at, tensor in enumerate(features)}


def saved(value: float | None, reference: float | None) -> float | None:
    """``1 - value / reference``: the share that was saved, above 0 is better. None where either is not known."""
    if value is None or not reference:
        return None
    return 1 - value / reference


@dataclass(frozen=True)
class Table(Generic[Whole, Part]):
    """A file of trajectories: one row for each part that was seen of a cell."""

    own: Columns[Whole, Part]
    """Its columns but ``CELL_COLUMNS``."""

    @property
    def columns(self) -> dict[str, str]:
        """All columns and their types (of polars)."""
        return {**CELL_COLUMNS, **{name: kind for name, (kind, _) in self.own.items()}}

    def write(self, path: Path, cells: Iterable[tuple[Row, Sequence[tuple[Whole, Part]]]]) -> Path | None:
        """Write the file: of each cell one of its rows, and its parts with their wholes. None where there are none."""
        import polars

        frames = [self._frame(row, parts) for row, parts in cells if parts]
        if not frames:
            return None
        write_frame(path, polars.concat(frames))
        return path

    def _frame(self, row: Row, parts: Sequence[tuple[Whole, Part]]) -> "polars.DataFrame":
        import polars

        cell = {name: getattr(row, name) for name in CELL_COLUMNS} | {"target": row.target.value}
        values = {name: [value] * len(parts) for name, value in cell.items()}
        values |= {name: [of(*part) for part in parts] for name, (_, of) in self.own.items()}
        return polars.DataFrame(values, schema=schema_of(self.columns))
