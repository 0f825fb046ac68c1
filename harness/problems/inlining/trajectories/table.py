"""Trajectories of a run: a Parquet file in the results folder, outside git. Columns: docs/trajectories.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.problems.inlining.features import FEATURES
from harness.problems.inlining.trajectories.collect import Visit
from harness.problems.programs.trajectories import CELL_COLUMNS, frame_of, write_frames
from harness.record.parquet import read_frame
from harness.record.rows import Row

__all__ = ["COLUMNS", "Cell", "read_trajectories", "write_trajectories"]

if TYPE_CHECKING:
    import polars

COLUMNS: dict[str, str] = {
    **CELL_COLUMNS,
    "position": "Int64",
    **dict.fromkeys(("caller", "callee"), "String"),
    "ordinal": "Int64",
    **dict.fromkeys(FEATURES, "Int64"),
    "inlining_decision": "Int64",
    "inlining_default": "Int64",
    "replaced": "Boolean",
    "metric": "String",
    **dict.fromkeys(("value", "reference", "reward"), "Float64"),
}
"""The columns and their types (of polars)."""


@dataclass(frozen=True)
class Cell:
    """A cell with what was seen in it, and what came of it."""

    row: Row
    visits: Sequence[Visit]
    metric: str
    value: float | None
    reference: float | None
    """The same of the track's reference on the same program."""

    @property
    def reward(self) -> float | None:
        """``1 - value / reference``: the share that was saved, above 0 is better. None where either is not known."""
        if self.value is None or not self.reference:
            return None
        return 1 - self.value / self.reference


def write_trajectories(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file, one row a decision; None where there are none."""
    return write_frames(path, map(_frame, cells))


def _frame(cell: Cell) -> "polars.DataFrame":
    visits = cell.visits
    shared = {name: getattr(cell, name) for name in ("metric", "value", "reference", "reward")}
    own: dict[str, Sequence[Any]] = {
        "position": [visit.position for visit in visits],
        "caller": [visit.site.caller for visit in visits],
        "callee": [visit.site.callee for visit in visits],
        "ordinal": [visit.site.ordinal for visit in visits],
        **{name: [visit.features[at] for visit in visits] for at, name in enumerate(FEATURES)},
        "inlining_decision": [int(visit.inline) for visit in visits],
        "inlining_default": [int(visit.default) for visit in visits],
        "replaced": [visit.site.who.value == "r" for visit in visits],
    }
    return frame_of(COLUMNS, cell.row, shared, own)


def read_trajectories(path: Path) -> "polars.DataFrame":
    """What was written. Raises UsageError for a file that is none of these."""
    return read_frame(path, COLUMNS, "a file of trajectories")
