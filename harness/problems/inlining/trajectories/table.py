"""Trajectories of a run: a Parquet file in the results folder, outside git. Columns: docs/trajectories.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.problems.inlining.features import INTERFACE, STATIC_FEATURES
from harness.problems.inlining.sites import Who
from harness.problems.inlining.trajectories.collect import Visit
from harness.problems.programs.trajectories import Table, feature_columns, saved
from harness.record.parquet import read_frame
from harness.record.rows import Row

__all__ = ["COLUMNS", "Cell", "read_trajectories", "write_trajectories"]

if TYPE_CHECKING:
    import polars


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
        """The share that was saved."""
        return saved(self.value, self.reference)


_TABLE: Table[Cell, Visit] = Table(
    {
        "position": ("Int64", lambda _, visit: visit.position),
        "caller": ("String", lambda _, visit: visit.site.caller),
        "callee": ("String", lambda _, visit: visit.site.callee),
        "ordinal": ("Int64", lambda _, visit: visit.site.ordinal),
        **feature_columns(INTERFACE.features[: len(STATIC_FEATURES)], lambda visit: visit.features),
        "inlining_decision": ("Int64", lambda _, visit: int(visit.inline)),
        "inlining_default": ("Int64", lambda _, visit: int(visit.default)),
        "replaced": ("Boolean", lambda _, visit: visit.site.who is Who.REPLACED),
        "metric": ("String", lambda cell, _: cell.metric),
        "value": ("Float64", lambda cell, _: cell.value),
        "reference": ("Float64", lambda cell, _: cell.reference),
        "reward": ("Float64", lambda cell, _: cell.reward),
    }
)
COLUMNS = _TABLE.columns
"""The columns and their types (of polars)."""


def write_trajectories(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file, one row a decision; None where there are none."""
    return _TABLE.write(path, ((cell.row, [(cell, visit) for visit in cell.visits]) for cell in cells))


def read_trajectories(path: Path) -> "polars.DataFrame":
    """What was written. Raises UsageError for a file that is none of these."""
    return read_frame(path, COLUMNS, "a file of trajectories")
