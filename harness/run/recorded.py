"""Whether standings say already what a run found: else it is recorded, also where an older run says the same.

What counts is what was recorded last. A policy that was changed and put back, a time limit that a busy machine missed
once, a manifest that has forgotten something: the newest run that holds a cell must hold just this of it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.record.rows import Header, Row

if TYPE_CHECKING:
    import duckdb

__all__ = ["quantity", "stands"]

_CELLS = """
SELECT r.* EXCLUDE (run), u.llvm, t.runtime, b.split, b.origin, b.program_digest, b.workloads, b.cluster,
       made.policy IS NOT NULL, best.policy IS NOT NULL, i.seconds, i.best, i.bound, i.plain, l.runtime,
       u.fresh IS NOT NULL
FROM (
  SELECT DISTINCT run, benchmark, target, rows.track, policy, seed, coalesce(copy, 0) AS copy, time_scale, cores,
         cell, policy_digest, outcome, isolation, decisions_digest, object_digest
  FROM rows JOIN runs USING (run) WHERE rows.suite = $suite
) r
JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark) LEFT JOIN runtimes t USING (run, target)
LEFT JOIN linked l USING (run, benchmark, target) LEFT JOIN instances i USING (run, benchmark)
LEFT JOIN (SELECT DISTINCT run, policy, benchmark FROM training) made USING (run, policy, benchmark)
LEFT JOIN (SELECT DISTINCT run, policy FROM said WHERE what = 'ceiling') best USING (run, policy)
QUALIFY rank() OVER (
  PARTITION BY r.benchmark, r.target, r.track, r.policy, r.seed, r.copy, r.time_scale, r.cores
  ORDER BY u.started DESC, r.run DESC) = 1
"""
"""What the newest run that holds a cell says of it, and of what it is about."""

_VALUES = """
SELECT benchmark, target, rows.track, policy, seed, coalesce(copy, 0), cell, metric, metric_version, workload, function,
       value, exact
FROM rows JOIN runs USING (run) WHERE rows.suite = $suite AND metric IS NOT NULL
QUALIFY row_number() OVER (
  PARTITION BY benchmark, target, rows.track, policy, seed, copy, cell, metric, metric_version, workload, function
  ORDER BY started DESC, run DESC) = 1
"""
"""The value of each quantity that was recorded last; a run may have taken some metrics alone."""

_POLICIES = """
SELECT DISTINCT target, rows.track, policy, policy_digest FROM rows JOIN runs USING (run) WHERE rows.suite = $suite
QUALIFY rank() OVER (PARTITION BY target, rows.track, policy ORDER BY started DESC, run DESC) = 1
"""
"""Each policy as it was recorded last, on whatever benchmark: standings have no other."""

_RULE = "SELECT min_coverage FROM runs WHERE suite = $suite ORDER BY started DESC, run DESC LIMIT 1"


def stands(index: "duckdb.DuckDBPyConnection", rows: Sequence[Row], header: Header, *, fresh: bool) -> bool:
    """Whether the newest runs of the suite say all of it: each row, and what the header says that standings read.

    ``fresh``: only what runs with fresh verification recorded counts.
    """
    asked = {"suite": header.suite}
    if index.execute(_RULE, asked).fetchone() != (header.min_coverage,):
        return False
    policies = set(index.execute(_POLICIES, asked).fetchall())
    if not {(row.target.value, row.track, row.policy, row.policy_digest) for row in rows} <= policies:
        return False
    cells = {said[:-1] for said in index.execute(_CELLS, asked).fetchall() if said[-1] or not fresh}
    for row in rows:
        said, linked = _of_cell(row, header), header.benchmarks[row.benchmark].runtime.get(row.target)
        if cells.isdisjoint({(*said, linked), (*said, None)}):  # None: in files older than it
            return False
    found = index.execute(_VALUES, asked).fetchall()
    values = {(*said, value if exact is None else exact) for *said, value, exact in found}
    return {(*_place(row), row.cell, *quantity(row), row.value) for row in rows if row.metric} <= values


def quantity(row: Row) -> tuple[str | None, int, str | None, str | None]:
    """What the row has the value of: columns of table ``rows``."""
    return row.metric, row.metric_version, row.workload, row.function


def _place(row: Row) -> tuple[str | int, ...]:
    return row.benchmark, row.target.value, row.track, row.policy, row.seed, row.copy_


def _of_cell(row: Row, header: Header) -> tuple[object, ...]:
    """What this run says of a row's cell, in the columns of ``_CELLS`` but for the last two."""
    solving = header.solving
    instance = solving.instances[row.benchmark] if solving else None
    facts = header.benchmarks[row.benchmark]
    under = (None, None) if solving is None else (solving.time_scale, solving.cores)
    ended = row.cell, row.policy_digest, row.outcome.value, row.isolation.value, row.decisions_digest, row.object_digest
    made_of = facts.split.value, facts.origin, facts.program_digest, facts.workloads, facts.cluster
    made_on_it = row.benchmark in header.trained_on.get(row.policy, ())
    known = (instance.seconds, instance.best, instance.bound, instance.plain) if instance else (None,) * 4
    said = made_on_it, row.policy in header.ceilings, *known
    return *_place(row), *under, *ended, header.llvm, header.runtime.get(row.target), *made_of, *said
