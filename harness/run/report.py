"""What a run did, and what earlier runs say of the same cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.progress import Observer, PatientObserver
from harness.base.vocabulary import Outcome
from harness.measure import find_metric
from harness.record import open_index
from harness.record.rows import Header, Row
from harness.record.runfile import run_files
from harness.run.recorded import quantity, stands

__all__ = ["RunReport", "compare_with_recorded"]


@dataclass(frozen=True)
class Earlier:
    """What earlier runs say of the same cells."""

    recorded: bool = False
    """Standings say all of it already: it is what was recorded last."""
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
    """The new run file; None when all of it is what was recorded last."""
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


def compare_with_recorded(
    results: Path, rows: Sequence[Row], header: Header, observer: Observer, *, fresh: bool = False
) -> Earlier:
    """What earlier runs say of the same cells. ``header``: what this run says beside its rows; ``fresh``: only what
    runs with fresh verification recorded counts as recorded, since this one has verified something so."""
    if not run_files(results)[0]:
        return Earlier()
    with open_index(results, warn=False, observer=PatientObserver(lambda: observer)) as index:
        recorded = stands(index, rows, header, fresh=fresh)
        query = (  # whichever suite's run it is of: suites share programs, and a cell's key is of no suite
            "SELECT cell, (metric, metric_version, workload, function), value, exact FROM rows JOIN runs USING (run) "
            "WHERE value IS NOT NULL ORDER BY started, run"
        )
        found = index.execute(query).fetchall()
        query = "SELECT DISTINCT benchmark, target, object_digest FROM rows WHERE suite = ? AND outcome = 'ok'"
        good = set(index.execute(query, [header.suite]).fetchall())
        query = (
            "SELECT benchmark, target, object_digest FROM refuted WHERE suite = ? OR program_digest IN "
            "(SELECT program_digest FROM benchmarks JOIN runs USING (run) WHERE runs.suite = ?)"
        )
        bad = set(index.execute(query, [header.suite, header.suite]).fetchall())
    values = {(cell, taken): value if exact is None else exact for cell, taken, value, exact in found}
    named = [row for row in rows if row.metric and (row.cell, quantity(row)) in values]
    earlier = [row for row in named if find_metric(str(row.metric)).deterministic]
    contradicted = tuple(row for row in earlier if values[(row.cell, quantity(row))] != row.value)
    cells = {(row.cell, row.policy): row for row in rows if row.outcome is Outcome.OK}
    return Earlier(
        recorded,
        len(earlier) - len(contradicted),
        contradicted,
        tuple(row for row in rows if row.fresh and _object(row) in good),
        tuple(row for row in cells.values() if _object(row) in bad),
    )


def _object(row: Row) -> tuple[str, str, str | None]:
    return row.benchmark, row.target.value, row.object_digest
