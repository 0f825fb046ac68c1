"""What a run did, and what earlier runs say of the same cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.flow.timing import Timing
from harness.measure import find_metric
from harness.record import open_index
from harness.record.rows import Row
from harness.record.runfile import run_files
from harness.vocabulary import Outcome

__all__ = ["RunReport", "compare_with_recorded", "failed_rows"]


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    rows: tuple[Row, ...]
    cells: int
    computed: int
    """Cells that were in neither cache nor journal."""
    failed: tuple[Row, ...]
    """One row of each cell that ended with an outcome other than ``ok`` and ``unsupported``."""
    file: Path | None
    """The new run file; None when all of it was recorded before."""
    reproduced: int
    """Deterministic values that earlier runs of the same cells recorded too, and equal."""
    contradicted: tuple[Row, ...]
    """Rows whose deterministic value an earlier run of the same cell contradicts."""
    timing: Timing = field(default_factory=Timing)
    """What was timed."""
    trajectories: Path | None = None
    """The features and decisions that were logged."""


def failed_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Those of cells that ended with an outcome other than ``ok`` and ``unsupported``."""
    return tuple(row for row in rows if row.outcome not in (Outcome.OK, Outcome.UNSUPPORTED))


def compare_with_recorded(results: Path, rows: Sequence[Row]) -> tuple[bool, int, tuple[Row, ...]]:
    """What earlier runs say of the same cells.

    Whether every row is recorded already; how many deterministic values are there and equal; the
    rows whose deterministic value is there and another, which must never be.
    """
    if not run_files(results)[0]:
        return False, 0, ()
    with open_index(results, warn=False) as index:
        query = "SELECT DISTINCT cell, policy, metric, value, exact, outcome, isolation FROM rows"
        found = index.execute(query).fetchall()
    known = {(*row[:3], row[3] if row[4] is None else row[4], *row[5:]) for row in found}
    values = {(cell, metric): value for cell, _, metric, value, *_ in known}
    named = [row for row in rows if row.metric and (row.cell, row.metric) in values]
    earlier = [row for row in named if find_metric(str(row.metric)).deterministic]
    contradicted = tuple(row for row in earlier if values[(row.cell, row.metric)] != row.value)
    wanted = {(row.cell, row.policy, row.metric, row.value, row.outcome.value, row.isolation.value) for row in rows}
    return wanted <= known, len(earlier) - len(contradicted), contradicted
