"""What is learnt: Greedy's own priority, and a correction that is linear in what is known of a live range.

The correction has weights of its own for live ranges within one block. All of them 0 is Greedy, order for order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.policy.forms.cpp.build import build_heuristic
from harness.policy.forms.cpp.hyperparameters import parse_hyperparameters
from harness.problems.programs.asking import Asked
from harness.problems.regalloc.features import PRIORITY
from harness.sandbox.bench import Bench

__all__ = [
    *("CLASS", "COLUMNS", "HIGHEST", "NAMES", "UNIT", "ZERO"),
    *("Column", "Weights", "asked_with", "divisor", "source"),
]

Weights = NDArray[np.float64]
"""(2 × columns,): of live ranges that reach beyond a block, then of those within one; a unit is what Greedy's own
function puts between these two sorts."""


@dataclass(frozen=True, slots=True)
class Column:
    """A number, mostly between 0 and 1, that is known of a live range."""

    name: str
    feature: str
    """Of ``RANGE_FEATURES``; nothing: the column is always 1."""
    kind: Literal["log", "is", "share"]
    """``log``: log₂(1 + feature × scale) / most. ``is``: whether the feature is ``scale``. ``share``: the feature for
    the function's instructions."""
    scale: float = 1
    most: float = 1


COLUMNS: tuple[Column, ...] = (
    Column("one", "", "is"),
    Column("size", "li_size", "log", 1, 16),
    Column("weight", "weight", "log", 1e6, 32),
    Column("operands", "operands", "log", 1, 8),
    Column("calls", "calls", "log", 1, 8),
    Column("segments", "segments", "log", 1, 8),
    Column("values", "values", "log", 1, 8),
    Column("bound", "is_spillable", "is", 0),
    Column("split", "is_split", "is", 1),
    Column("hint", "has_hint", "is", 1),
    Column("waits", "stage", "is", 2),
    Column("begin", "begin", "share"),
    Column("end", "end", "share"),
)
NAMES = tuple(f"{sort}_{column.name}" for sort in ("far", "near") for column in COLUMNS)
"""Of the weights, in their order."""

CLASS = 2.0**24
"""Greedy's priorities have a live range's size below this, and above it what comes before size."""
UNIT = 2.0**26
"""Of a weight, in priorities. A size is far less, so that it decides where all else is equal."""
ZERO = 24.0
"""Units below what Greedy's least becomes."""
HIGHEST = 1e6
"""The largest spill weight that is told from others: that of what cannot be spilled is infinite."""
_BOUND = 64


def source() -> str:
    """The scorer in C++, its weights hyperparameters of these ``NAMES``."""
    declared = [f"// [hyperparam]: {name}, float, {-_BOUND}, {_BOUND}, 0" for name in NAMES]
    terms = [
        f"  Sum += (Near ? near_{column.name} : far_{column.name}) * ({_expression(column)});" for column in COLUMNS
    ]
    lines = [
        *declared,
        "double getPriority(const LiveInterval &LI, PriorityContext &Context) {",
        "  const auto Is = [&](RangeFeature Feature) { return Context.feature(Feature); };",
        "  const bool Near = Is(RangeFeature::is_local) != 0;",
        "  const double Own = Is(RangeFeature::default_priority);",
        f"  const double Before = std::floor(Own / {CLASS!r});",
        "  double Sum = 0;",
        *terms,
        f"  return (Before / 32 + Sum + {ZERO!r}) * {UNIT!r} + (Own - Before * {CLASS!r});",
        "}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _expression(column: Column) -> str:
    feature = f"Is(RangeFeature::{column.feature})"
    if not column.feature:
        return "1.0"
    if column.kind == "is":
        return f"{feature} == {column.scale!r}"
    if column.kind == "share":
        return f"{feature} / (1 + Is(RangeFeature::function_size))"
    return f"std::log(1 + std::min({feature}, {HIGHEST!r}) * {column.scale!r}) / {divisor(column)!r}"


def divisor(column: Column) -> float:
    """What the natural logarithm of a column of kind ``log`` is divided by."""
    return float(column.most * np.log(2))


@cache
def _parameters() -> tuple[str, bytes]:
    text = source()
    return text, text.encode()


def asked_with(weights: Sequence[float] | Weights, bench: Bench) -> Asked:
    """The scorer with these weights, in the compiler's process: one library for all weights."""
    text, content = _parameters()
    assert PRIORITY.native is not None, "C++ may see live ranges"
    library = build_heuristic(content, parse_hyperparameters(text, "scorer.cpp"), PRIORITY.native, "scorer.cpp", bench)
    values = ",".join(f"{name}={float(value)!r}" for name, value in zip(NAMES, weights, strict=True))
    return Asked("heuristic", library, values, options=("question=priority",))
