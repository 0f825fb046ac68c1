"""The recorded runs: where the numbers come from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.rank.figures import figures_sql
from harness.rank.question import Question, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["RecordedCell", "RecordedRun", "cells_sql", "recorded_cells", "runs", "runs_sql", "runs_used", "used_sql"]


@dataclass(frozen=True)
class RecordedRun:
    """One run, as a line of a list."""

    run: str
    suite: str
    suite_version: str
    track: str
    started: str
    """UTC, ISO 8601."""
    finished: str
    llvm: str
    llvm_version: str
    commit: str | None
    dirty: bool | None
    cpu: str
    cells: int
    failed: int
    """Cells whose outcome is not ok."""
    policies: int
    benchmarks: int
    backing: str
    """What stands behind it: official, reproduced or claimed."""


@dataclass(frozen=True)
class RecordedCell:
    """What names a cell in its run."""

    benchmark: str
    target: str
    policy: str
    outcome: str


def runs_sql() -> str:
    """The query behind ``runs``."""
    return """SELECT u.run, u.suite, u.suite_version, u.track, u.started, u.finished, u.llvm, u.llvm_version,
       u.commit, u.dirty, u.cpu, count(c.cell) AS cells,
       count(c.cell) FILTER (c.outcome <> 'ok') AS failed,
       count(DISTINCT c.policy) AS policies, count(DISTINCT c.benchmark) AS benchmarks, b.backing
FROM runs u LEFT JOIN cells c USING (run) JOIN backing b USING (run)
GROUP BY ALL ORDER BY u.started DESC, u.run DESC"""


def runs(index: "duckdb.DuckDBPyConnection") -> list[RecordedRun]:
    """Every recorded run, the newest first."""
    return [RecordedRun(*row) for row in index.execute(runs_sql()).fetchall()]


def cells_sql(run: str) -> str:
    """The query behind ``recorded_cells``."""
    return f"""SELECT benchmark, target, policy, outcome FROM cells
WHERE run = {quote(run)} ORDER BY outcome = 'ok', benchmark, target DESC, policy"""


def recorded_cells(index: "duckdb.DuckDBPyConnection", run: str) -> list[RecordedCell]:
    """The cells of a run, those that failed first."""
    return [RecordedCell(*row) for row in index.execute(cells_sql(run)).fetchall()]


def used_sql(question: Question) -> str:
    """The query behind ``runs_used``."""
    return f"""{figures_sql(question)}
SELECT run, count(*) AS cells FROM newest GROUP BY run ORDER BY max(started) DESC, run DESC"""


def runs_used(index: "duckdb.DuckDBPyConnection", question: Question) -> list[tuple[str, int]]:
    """The runs that answer a question, the newest first, and how many cells each gives."""
    return [(str(run), int(cells)) for run, cells in index.execute(used_sql(question)).fetchall()]
