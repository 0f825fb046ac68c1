"""Trajectories of a run as tables: functions, and questions about live ranges and evictions.

docs/trajectories.md has the columns.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.problems.programs.trajectories import Table, feature_columns, saved
from harness.problems.regalloc.evictions import SLOT_FEATURES
from harness.problems.regalloc.features import FUNCTION_FEATURES, RANGE_FEATURES
from harness.problems.regalloc.trajectories.collect import Allocated, Asked, Evicting, Slot
from harness.record.rows import Row

__all__ = [
    *("COST", "EVICTION_COLUMNS", "FUNCTION_COLUMNS", "RANGE_COLUMNS", "Cell", "Judged"),
    *("local_reward", "write_allocations", "write_evictions", "write_ranges"),
]

COST = "mca.static"
"""The metric that functions are judged by: no run is needed for it."""


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
        """The share that was saved."""
        return saved(self.value, self.reference)


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


_FUNCTIONS: Table[Cell, Judged] = Table(
    {
        "function": ("String", lambda _, one: one.seen.name),
        "code_digest": ("String", lambda _, one: one.seen.digest),
        **feature_columns(FUNCTION_FEATURES, lambda one: one.seen.features),
        "allocation": ("String", lambda _, one: one.seen.allocation),
        "questions": ("Int64", lambda _, one: len(one.seen.questions)),
        "metric": ("String", lambda _cell, _one: COST),
        "value": ("Float64", lambda _, one: one.value),
        "reference": ("Float64", lambda _, one: one.reference),
        "global_reward": ("Float64", lambda _, one: one.reward),
    }
)
_RANGES: Table[Judged, Asked] = Table(
    {
        "function": ("String", lambda function, _: function.seen.name),
        "step": ("Int64", lambda _, asked: asked.step),
        "register": ("Int64", lambda _, asked: asked.register),
        **feature_columns(RANGE_FEATURES, lambda asked: asked.features),
        "priority": ("Int64", lambda _, asked: asked.priority),
        "outcome": ("String", lambda _, asked: asked.outcome),
        "local_reward": ("Float32", lambda _, asked: local_reward(asked)),
        "global_reward": ("Float64", lambda function, _: function.reward),
    }
)
_OF_SLOT = [tensor for tensor in SLOT_FEATURES if tensor.name != "mask"]
"""Features in the table: what could not be named is not in it."""
_PLACES = [SLOT_FEATURES.index(tensor) for tensor in _OF_SLOT]


@dataclass(frozen=True, slots=True)
class _Candidate:
    question: Evicting
    slot: Slot


_EVICTIONS: Table[Judged, _Candidate] = Table(
    {
        "function": ("String", lambda function, _: function.seen.name),
        "step": ("Int64", lambda _, one: one.question.step),
        "register": ("Int64", lambda _, one: one.question.register),
        "progress": ("Float32", lambda _, one: one.question.progress),
        "slot": ("Int64", lambda _, one: one.slot.slot),
        **feature_columns(_OF_SLOT, lambda one: [one.slot.features[place] for place in _PLACES]),
        "is_default": ("Boolean", lambda _, one: one.slot.slot == one.question.default),
        "is_named": ("Boolean", lambda _, one: one.slot.slot == one.question.slot),
        "global_reward": ("Float64", lambda function, _: function.reward),
    }
)
FUNCTION_COLUMNS = _FUNCTIONS.columns
"""The columns of functions and their types (of polars)."""
RANGE_COLUMNS = _RANGES.columns
"""The same of live ranges."""
EVICTION_COLUMNS = _EVICTIONS.columns
"""The same of evictions."""


def write_allocations(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file of functions, one row each; None where there are none."""
    return _FUNCTIONS.write(path, ((cell.row, [(cell, one) for one in cell.functions]) for cell in cells))


def write_ranges(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file of live ranges, one row a question; None where there are none."""
    return _RANGES.write(path, ((cell.row, _questions(cell)) for cell in cells))


def write_evictions(path: Path, cells: Iterable[Cell]) -> Path | None:
    """Write the file of evictions, one row for each slot that could be named; None where there are none."""
    return _EVICTIONS.write(path, ((cell.row, _candidates(cell)) for cell in cells))


def _candidates(cell: Cell) -> list[tuple[Judged, _Candidate]]:
    return [
        (function, _Candidate(question, slot))
        for function in cell.functions
        for question in function.seen.evictions
        for slot in question.slots
    ]


def _questions(cell: Cell) -> list[tuple[Judged, Asked]]:
    return [(function, asked) for function in cell.functions for asked in function.seen.questions]
