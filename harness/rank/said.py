"""What policies say of themselves, as runs recorded it: which are deterministic searches, which are ceilings."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["CEILING", "DETERMINISTIC", "said", "shares_of_ceiling"]

DETERMINISTIC = "deterministic"
"""A search that finds the same whenever it is asked: it has one seed."""
CEILING = "ceiling"
"""The best that is known of each program, whatever it took to find: a measure for others, and never ranked."""
_NOTHING = 1e-4
"""A ceiling that is not above the reference by so much, in logarithms, measures nobody."""


def said(index: "duckdb.DuckDBPyConnection", question: Question, what: str) -> set[str]:
    """Policies that say so of themselves."""
    query = f"SELECT DISTINCT policy FROM said WHERE {question.in_suites} AND what = ?"
    return {str(name) for (name,) in index.execute(query, [what]).fetchall()}


def shares_of_ceiling(strict: Mapping[str, float | None], ceilings: Iterable[str]) -> dict[str, float]:
    """Policy → what it reaches of the highest ceiling's gain: log strict over log strict; below 0 where it loses.

    Empty where no ceiling is in the table, or none is above the reference.
    """
    values = [value for name in ceilings if (value := strict.get(name)) is not None]
    highest = math.log(max(values)) if values else 0.0
    if highest < _NOTHING:
        return {}
    return {name: math.log(value) / highest for name, value in strict.items() if value is not None}
