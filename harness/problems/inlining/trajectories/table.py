"""Trajectories of a run: a Parquet file in the results folder, outside git. Columns: docs/trajectories.md."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.problems.inlining.features import FEATURES
from harness.problems.inlining.trajectories.collect import Visit
from harness.record.rows import Row
from harness.record.runfile import results_errors

__all__ = ["COLUMNS", "Cell", "read_trajectories", "write_trajectories"]

if TYPE_CHECKING:
    import polars

_LARGEST = 2048 * MIB

COLUMNS: dict[str, str] = {
    **dict.fromkeys(("cell", "benchmark", "target", "track", "policy", "policy_digest"), "String"),
    "seed": "Int64",
    "decisions_digest": "String",
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
    import polars

    schema = {name: getattr(polars, kind)() for name, kind in COLUMNS.items()}
    frames = [polars.DataFrame(_columns(cell), schema=schema) for cell in cells]
    frames = [frame for frame in frames if frame.height]
    if not frames:
        return None
    with results_errors(path.parent):
        # An open file: a library that is given a path may read it as a pattern.
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".", delete=False) as file:
            polars.concat(frames).write_parquet(file, compression="zstd")
            os.fchmod(file.fileno(), 0o644)
        os.replace(file.name, path)
    return path


def _columns(cell: Cell) -> dict[str, Sequence[Any]]:
    row, visits = cell.row, cell.visits
    shared: dict[str, Any] = {
        "cell": row.cell,
        "benchmark": row.benchmark,
        "target": row.target.value,
        "track": row.track,
        "policy": row.policy,
        "policy_digest": row.policy_digest,
        "seed": row.seed,
        "decisions_digest": row.decisions_digest,
        "metric": cell.metric,
        "value": cell.value,
        "reference": cell.reference,
        "reward": cell.reward,
    }
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
    return {name: own[name] if name in own else [shared[name]] * len(visits) for name in COLUMNS}


def read_trajectories(path: Path) -> "polars.DataFrame":
    """What was written. Raises UsageError for a file that is none of these."""
    import io

    import polars

    if path.is_symlink():
        raise UsageError("a link, not a file of trajectories", where=str(path), hint="put the file itself there")
    schema = {name: getattr(polars, kind)() for name, kind in COLUMNS.items()}
    try:
        frame = polars.read_parquet(io.BytesIO(read_bytes(path, _LARGEST)))
    except polars.exceptions.PolarsError as error:
        raise UsageError(f"not a file of trajectories: {str(error).splitlines()[0]}", where=str(path)) from None
    if dict(frame.schema) != schema:
        raise UsageError("not a file of trajectories: its columns are others", where=str(path))
    return frame
