"""What a run did, and what earlier runs say of the same cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.vocabulary import Outcome
from harness.measure import find_metric
from harness.record import open_index
from harness.record.rows import Row
from harness.record.runfile import run_files

__all__ = ["RunReport", "compare_with_recorded"]


@dataclass(frozen=True)
class Earlier:
    """What earlier runs say of the same cells."""

    recorded: bool = False
    """Every row is recorded already."""
    reproduced: int = 0
    """Deterministic values that are there and equal."""
    contradicted: tuple[Row, ...] = ()
    """Rows whose deterministic value is there and another, which must never be."""
    overturned: tuple[Row, ...] = ()
    """Rows of cells that fail on a fresh input, and whose object is recorded as ok."""
    refuted: tuple[Row, ...] = ()
    """One row of each cell that is ok, and whose object is recorded as failed on a fresh input."""


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
    earlier: Earlier
    """What earlier runs say of its cells."""
    notes: tuple[str, ...] = ()
    """For people, in the words of the problem."""
    incomplete: bool = False
    """Something is not as it should be that no row says."""
    left_out: tuple[Row, ...] = ()
    """Of those that failed, one row of each benchmark that counts for nobody: what all are compared with failed."""

    @property
    def ok(self) -> bool:
        """Whether nothing failed, and nothing contradicts what is recorded."""
        return not (self.failed or self.earlier.contradicted or self.earlier.refuted or self.incomplete)


def compare_with_recorded(results: Path, rows: Sequence[Row], suite: str, *, fresh: bool = False) -> Earlier:
    """What earlier runs say of the same cells. ``fresh``: only what runs with fresh verification recorded counts as
    recorded, since this one has verified something so."""
    if not run_files(results)[0]:
        return Earlier()
    with open_index(results, warn=False) as index:
        query = (
            "SELECT DISTINCT cell, policy, (metric, metric_version), value, exact, outcome, isolation, "
            "u.fresh IS NOT NULL FROM rows r JOIN runs u USING (run)"
        )
        found = index.execute(query).fetchall()
        query = "SELECT DISTINCT benchmark, target, object_digest FROM rows WHERE suite = ? AND outcome = 'ok'"
        good = set(index.execute(query, [suite]).fetchall())
        query = (
            "SELECT benchmark, target, object_digest FROM refuted WHERE suite = ? OR program_digest IN "
            "(SELECT program_digest FROM benchmarks JOIN runs USING (run) WHERE runs.suite = ?)"
        )
        bad = set(index.execute(query, [suite, suite]).fetchall())
    known = {(*row[:3], row[3] if row[4] is None else row[4], *row[5:7]) for row in found if row[7] or not fresh}
    values = {(row[0], row[2]): row[3] if row[4] is None else row[4] for row in found}
    named = [row for row in rows if row.metric and (row.cell, _taken(row)) in values]
    earlier = [row for row in named if find_metric(str(row.metric)).deterministic]
    contradicted = tuple(row for row in earlier if values[(row.cell, _taken(row))] != row.value)
    wanted = {(row.cell, row.policy, _taken(row), row.value, row.outcome.value, row.isolation.value) for row in rows}
    cells = {(row.cell, row.policy): row for row in rows if row.outcome is Outcome.OK}
    return Earlier(
        wanted <= known,
        len(earlier) - len(contradicted),
        contradicted,
        tuple(row for row in rows if row.fresh and _object(row) in good),
        tuple(row for row in cells.values() if _object(row) in bad),
    )


def _taken(row: Row) -> tuple[str | None, int]:
    return row.metric, row.metric_version


def _object(row: Row) -> tuple[str, str, str | None]:
    return row.benchmark, row.target.value, row.object_digest
