"""What a question can be restricted to: only what rows exist of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.rank.question import Question, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["Facets", "facets"]


@dataclass(frozen=True)
class Facets:
    """The metrics, splits and origins of one suite, track and target."""

    metrics: tuple[str, ...]
    splits: tuple[str, ...]
    origins: tuple[str, ...]
    together: frozenset[tuple[str, str]]
    """Splits and origins that one program has both of."""


def facets(index: "duckdb.DuckDBPyConnection", question: Question) -> Facets:
    """What is recorded of the question's suite, track, target and compiler; its restrictions do not count."""
    where = (
        f"{question.in_suites} AND track = {quote(question.track)} "
        f"AND target = {quote(question.target)} AND llvm = {quote(question.llvm)}"
    )

    def distinct(columns: str, table: str) -> list[tuple[str, ...]]:
        query = f"SELECT DISTINCT {columns} FROM {table} WHERE {where} ORDER BY {columns}"
        return [tuple(map(str, row)) for row in index.execute(query).fetchall()]

    together = frozenset((split, origin) for split, origin in distinct("split, origin", "cells"))
    return Facets(
        metrics=tuple(metric for (metric,) in distinct("metric", "measurements")),
        splits=tuple(sorted({split for split, _ in together})),
        origins=tuple(sorted({origin for _, origin in together})),
        together=together,
    )
