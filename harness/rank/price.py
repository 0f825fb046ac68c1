"""What policies' decisions cost, beside the figures that they won."""

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.rank.figures import figures_sql
from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["deciding_seconds"]

_METRIC = "decide.cpu"


def deciding_seconds(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, float]:
    """Policy → CPU seconds of deciding on a program of the question, the median. Not of whom none is known."""
    figures = figures_sql(replace(question, metric=_METRIC), [question.reference])
    query = f"{figures}\nSELECT policy, median(value) FROM figure WHERE value IS NOT NULL GROUP BY policy"
    return {policy: float(seconds) for policy, seconds in index.execute(query).fetchall()}
