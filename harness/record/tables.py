"""Columns of the index's tables, and its views (docs/schema.md)."""

__all__ = ["BLOCK", "CAMPAIGN", "COLUMNS", "CONDITIONS", "CONTRADICTIONS", "SAMPLE", "VIEWS"]

COLUMNS = {
    "cell": "VARCHAR",
    "campaign": "VARCHAR",
    "benchmark": "VARCHAR",
    "target": "VARCHAR",
    "track": "VARCHAR",
    "problem": "VARCHAR",
    "form": "VARCHAR",
    "class": "VARCHAR",
    "policy": "VARCHAR",
    "policy_digest": "VARCHAR",
    "seed": "BIGINT",
    "copy": "BIGINT",
    "level": "VARCHAR",
    "isolation": "VARCHAR",
    "frozen_digest": "VARCHAR",
    "decisions_digest": "VARCHAR",
    "object_digest": "VARCHAR",
    "outcome": "VARCHAR",
    "detail": "VARCHAR",
    "fresh": "VARCHAR",
    "metric": "VARCHAR",
    "metric_version": "BIGINT",
    "workload": "VARCHAR",
    "function": "VARCHAR",
    "value": "DOUBLE",
    "unit": "VARCHAR",
}
"""Columns of table ``rows``, beside ``run``, ``line``, ``suite`` and ``exact`` (docs/schema.md)."""
CAMPAIGN = {
    "campaign": "VARCHAR",
    "started": "VARCHAR",
    "finished": "VARCHAR",
    "core": "BIGINT",
    "slice": "DOUBLE",
    "precision": "DOUBLE",
    "budget": "DOUBLE",
    "seconds": "DOUBLE",
    "calibration": "DOUBLE",
    "blocks": "BIGINT",
    "control": "STRUCT(ratio DOUBLE, low DOUBLE, high DOUBLE, pairs BIGINT)",
    "moved": "STRUCT(pairs BIGINT, moved DOUBLE, still DOUBLE)",
    "marks": "VARCHAR[]",
}
BLOCK = {
    "campaign": "VARCHAR",
    "benchmark": "VARCHAR",
    "target": "VARCHAR",
    "workload": "VARCHAR",
    "inputs": "VARCHAR",
    "number": "BIGINT",
    "layout": "BIGINT",
    "passes": "BIGINT",
}
CONDITIONS = {
    "seconds": "DOUBLE",
    "waited": "DOUBLE",
    "others": "DOUBLE",
    "busy": "DOUBLE",
    "steal": "DOUBLE",
    "pressure": "DOUBLE",
    "load": "DOUBLE",
    "frequency": "DOUBLE",
    "throttled": "BIGINT",
    "idle": "DOUBLE",
    "suspended": "DOUBLE",
}
SAMPLE = {"object": "VARCHAR", "cpu": "DOUBLE", "wall": "DOUBLE", "preemptions": "BIGINT", "first": "BIGINT"}

VIEWS = """
-- One row per recorded cell.
CREATE VIEW cells AS
SELECT DISTINCT r.run, u.started, u.llvm, r.suite, r.cell, r.benchmark, r.target, r.track, r.class, r.problem, r.form,
       r.policy, r.policy_digest, r.seed, r.level, r.isolation, r.frozen_digest, r.decisions_digest, r.object_digest,
       r.outcome, CASE WHEN r.outcome = 'ok' THEN '' ELSE coalesce(r.detail, '') END AS detail,
       b.split, b.origin, coalesce(b.cluster, r.benchmark) AS cluster, b.program_digest,
       coalesce(b.workloads, '') AS workloads, u.time_scale, u.cores,
       coalesce(t.runtime, '') AS runtime, coalesce(l.runtime, '') AS linked
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark) LEFT JOIN runtimes t USING (run, target)
LEFT JOIN linked l USING (run, benchmark, target)
WHERE r.copy IS NULL;
-- One row per recorded cell of a copy: the program under other names and in another order.
CREATE VIEW copies AS
SELECT DISTINCT u.started, u.llvm, r.suite, r.cell, r.copy, r.benchmark, r.target, r.track, r.policy, r.policy_digest,
       r.seed, r.frozen_digest, r.outcome, b.program_digest, coalesce(b.workloads, '') AS workloads,
       coalesce(t.runtime, '') AS runtime, coalesce(l.runtime, '') AS linked
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark) LEFT JOIN runtimes t USING (run, target)
LEFT JOIN linked l USING (run, benchmark, target)
WHERE r.copy IS NOT NULL;
-- One row per measured quantity: of the same cell and metric, that of its last version, taken in the sandbox before
-- others, the newest.
CREATE VIEW measurements AS
SELECT r.*, u.started, u.llvm FROM rows r JOIN runs u USING (run) WHERE r.value IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY r.cell, r.metric, r.workload, r.function
    ORDER BY r.metric_version DESC, r.isolation, u.started DESC, r.run DESC) = 1;
-- One row per object that failed on a fresh input: a miscompile, whatever other runs say of the same object.
CREATE VIEW refuted AS
SELECT r.suite, r.benchmark, r.target, r.object_digest, r.isolation, r.outcome, r.detail, r.fresh, r.run,
       b.program_digest
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark)
WHERE r.fresh IS NOT NULL AND r.object_digest IS NOT NULL AND r.outcome IN ('wrong-output', 'run-crash')
QUALIFY row_number() OVER (
    PARTITION BY r.suite, r.benchmark, r.target, r.object_digest ORDER BY r.isolation, u.started, r.run) = 1;
-- One row per pair of timed objects in a block: how much faster the second was than the first.
CREATE VIEW pairs AS
SELECT a.run, a.campaign, a.suite, a.benchmark, a.target, a.workload, a.inputs, a.number, a.layout,
       a.object AS object, b.object AS against, ln(b.cpu / a.cpu) AS log_ratio, c.marks, u.machine, c.started,
       c.isolation
FROM timings a JOIN timings b USING (run, campaign, benchmark, target, number)
JOIN campaigns c USING (run, campaign) JOIN runs u USING (run)
WHERE a.object <> b.object AND a.cpu > 0 AND b.cpu > 0;
"""


CONTRADICTIONS = """
-- Cells of which two runs recorded another object, or another value of what must repeat exactly.
CREATE TABLE contradictions AS
WITH said AS (
  SELECT run, cell, metric, metric_version, coalesce(workload, '') AS workload, coalesce(function, '') AS function,
         isolation,
         coalesce(CAST(exact AS VARCHAR), CAST(value AS VARCHAR)) AS value
  FROM rows WHERE value IS NOT NULL AND list_contains(?, split_part(metric, '@', 1))
  UNION ALL
  SELECT DISTINCT run, cell, 'object', 1, '', '', isolation, object_digest FROM rows WHERE object_digest IS NOT NULL
)
SELECT any_value(r.suite) AS suite, cell, any_value(r.benchmark) AS benchmark, any_value(r.target) AS target,
       any_value(r.track) AS track, list_sort(list(DISTINCT r.policy)) AS policies, said.metric,
       list_sort(list(DISTINCT said.value)) AS found, list_sort(list(DISTINCT said.run)) AS runs
FROM said JOIN (SELECT DISTINCT run, cell, suite, benchmark, target, track, policy FROM rows) r USING (run, cell)
GROUP BY cell, said.metric, said.metric_version, said.workload, said.function HAVING count(DISTINCT said.value) > 1
"""
