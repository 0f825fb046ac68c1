"""Trajectories of a run as two tables: functions, and questions about live ranges. Columns: docs/trajectories.md."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.policy.forms.interface import Element, Tensor
from harness.problems.programs.trajectories import CELL_COLUMNS, frame_of, write_frames
from harness.problems.regalloc.features import FUNCTION_FEATURES, RANGE_FEATURES
from harness.problems.regalloc.trajectories.collect import Allocated, Asked
from harness.record.rows import Row

__all__ = [
    *("COST", "FUNCTION_COLUMNS", "RANGE_COLUMNS", "Cell", "Judged"),
    *("local_reward", "write_allocations", "write_ranges"),
]

if TYPE_CHECKING:
    import polars

COST = "mca.static"
"""The metric that functions are judged by: no run is needed for it."""
_KINDS = {Element.INT64: "Int64", Element.FLOAT: "Float32"}


def _columns(features: Sequence[Tensor]) -> dict[str, str]:
    return {tensor.name: _KINDS[tensor.element] for tensor in features}


FUNCTION_COLUMNS: dict[str, str] = {
    **CELL_COLUMNS,
    **dict.fromkeys(("function", "code_digest"), "String"),
    **_columns(FUNCTION_FEATURES),
    "allocation": "String",
    "questions": "Int64",
    "metric": "String",
    **dict.fromkeys(("value", "reference", "global_reward"), "Float64"),
}
"""The columns of functions and their types (of polars)."""

RANGE_COLUMNS: dict[str, str] = {
    **CELL_COLUMNS,
    "function": "String",
    **dict.fromkeys(("step", "register"), "Int64"),
    **_columns(RANGE_FEATURES),
    "priority": "Int64",
    "outcome": "String",
    "local_reward": "Float32",
    "global_reward": "Float64",
}
"""The same of live ranges."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A function with what its code costs."""

    seen: Allocated
    value: float | None
    """Under the policy; None where that is not known."""
    reference: float | None
    """Under Greedy."""

    @property
    def reward(self) -> float | None:
        """``1 - value / reference``: the share that was saved. None where either is not known."""
        if self.value is None or not self.reference:
            return None
        return 1 - self.value / self.reference


@dataclass(frozen=True)
class Cell:
    """A cell with what was seen of its functions, and what came of them."""

    row: Row
    functions: Sequence[Judged]


def local_reward(asked: Asked) -> float | None:
    """The spill weight of a live range that has a register; of one that was spilled, less than nothing by as much; 0 of
    one that is there no more. None of one that may not be spilled: its weight is no number."""
    weight = asked.features[_WEIGHT]
    if not math.isfinite(weight):
        return None
    return {"assigned": weight, "spilled": -weight}.get(asked.outcome, 0.0)


_WEIGHT = [tensor.name for tensor in RANGE_FEATURES].index("weight")


def write_allocations(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file of functions, one row each; None where there are none."""
    return write_frames(path, map(_functions, cells))


def write_ranges(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file of live ranges, one row a question; None where there are none."""
    return write_frames(path, map(_ranges, cells))


def _functions(cell: Cell) -> "polars.DataFrame":
    functions = cell.functions
    seen = [one.seen for one in functions]
    own: dict[str, Sequence[Any]] = {
        "function": [one.name for one in seen],
        "code_digest": [one.digest for one in seen],
        **{tensor.name: [one.features[at] for one in seen] for at, tensor in enumerate(FUNCTION_FEATURES)},
        "allocation": [one.allocation for one in seen],
        "questions": [len(one.questions) for one in seen],
        "value": [one.value for one in functions],
        "reference": [one.reference for one in functions],
        "global_reward": [one.reward for one in functions],
    }
    return frame_of(FUNCTION_COLUMNS, cell.row, {"metric": COST}, own)


def _ranges(cell: Cell) -> "polars.DataFrame":
    pairs = [(function, asked) for function in cell.functions for asked in function.seen.questions]
    questions = [asked for _, asked in pairs]
    own: dict[str, Sequence[Any]] = {
        "function": [function.seen.name for function, _ in pairs],
        "step": [asked.step for asked in questions],
        "register": [asked.register for asked in questions],
        **{tensor.name: [asked.features[at] for asked in questions] for at, tensor in enumerate(RANGE_FEATURES)},
        "priority": [asked.priority for asked in questions],
        "outcome": [asked.outcome for asked in questions],
        "local_reward": [local_reward(asked) for asked in questions],
        "global_reward": [function.reward for function, _ in pairs],
    }
    return frame_of(RANGE_COLUMNS, cell.row, {}, own)
