"""One query a table: each policy on each program under each of its seeds, against the reference."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from harness.rank.contest import Contest, known, lost, timed
from harness.rank.figures import figures_sql, pairs_sql, ratio_sql, same_object_sql
from harness.rank.question import Question, floor, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["Entry", "duels_sql", "entries", "entries_sql", "entries_with"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One policy on one program under one seed."""

    policy: str
    policy_class: str
    benchmark: str
    split: str
    origin: str
    cluster: str
    """Programs that share code have the same."""
    seed: int
    outcome: str
    """The cell's; ``not run`` without a cell, ``not measured`` without a value, or without the pairs it takes."""
    detail: str
    """For people: why the outcome is not ok."""
    value: float | None
    reference: float | None
    """The reference's value; over its seeds, the median. None: the program does not count."""
    same_object: bool
    object_digest: str | None
    decisions_digest: str | None
    run: str | None
    was_asked: bool
    """The reference is ok on the program, and was asked for the metric."""
    min_coverage: float
    otherwise: bool
    """It was measured by another version of the metric than what it is compared with."""
    decide_cpu: float | None
    """CPU seconds of deciding; None where they are not known, or the cell failed."""
    contest: Contest


def entries_sql(question: Question, policy: str | None = None) -> str:
    """The query behind the standings; with ``policy``, behind that policy's programs.

    Strict is the geometric mean over programs of the one over seeds of ``counted``; of a metric with pairs, of what
    the list of ``pairs`` gives.
    """
    paired = question.quantity.paired
    where = f"WHERE policy = {quote(policy)} " if policy is not None else ""
    order = "class, policy, benchmark, seed" if policy is None or paired else "counted DESC NULLS LAST, benchmark, seed"
    return f"{entries_with(question)}{_PAIRS if paired else _ratios(question)}\n{where}ORDER BY {order}"


def duels_sql(question: Question) -> str:
    """Of a metric with pairs, the query behind ranks: each two objects that were timed together, with their pairs."""
    everyone = """, duel AS (
  SELECT DISTINCT one.benchmark, one.object_digest AS object, other.object_digest AS against
  FROM entry one JOIN entry other USING (benchmark)
  WHERE one.value IS NOT NULL AND other.value IS NOT NULL AND one.object_digest < other.object_digest
)"""
    return f"{entries_with(question, everyone)}\nSELECT benchmark, object, against, pairs FROM timed"


def entries_with(question: Question, duel: str | None = None) -> str:
    """Common table expressions: those of ``figures_sql``, ``entry``, and those of ``pairs_sql``.

    ``duel``: which objects meet; by default each with the reference's.
    """
    paired = question.quantity.paired
    same = same_object_sql(question, "f.object_digest", "r.object") + ("" if paired else " AND r.objects = 1")
    duel = (
        duel
        or """, duel AS (
  SELECT DISTINCT benchmark, object_digest AS object, r.object AS against
  FROM entry JOIN reference r USING (benchmark)
  WHERE reference IS NOT NULL AND entry.value IS NOT NULL AND NOT same_object
)"""
    )
    return f"""{figures_sql(question)}, program AS (
  SELECT benchmark, any_value(split) AS split, any_value(origin) AS origin, any_value(cluster) AS cluster
  FROM newest GROUP BY benchmark
), entrant AS (  -- each policy, under each of its seeds
  SELECT DISTINCT policy, class, seed FROM newest
), reference AS (  -- over seeds, the median and the first object
  SELECT benchmark, median(value) AS value, arg_min(object_digest, seed) AS object,
         count(DISTINCT object_digest) AS objects, bool_or(was_asked) AS was_asked
  FROM figure WHERE policy = {quote(question.reference)} AND outcome = 'ok' GROUP BY benchmark
), price AS (
  SELECT cell, median(value) AS seconds FROM measurements WHERE metric = 'decide.cpu' GROUP BY cell
), entry AS (
  SELECT e.policy, e.class, p.benchmark, p.split, p.origin, p.cluster, e.seed,
         coalesce(f.outcome, 'not run') AS outcome,
         coalesce(f.detail, '') AS detail, f.value, r.value AS reference,
         coalesce(f.outcome = 'ok' AND {same}, false) AS same_object,
         f.object_digest, f.decisions_digest, f.run, coalesce(r.was_asked, false) AS was_asked,
         coalesce(f.otherwise, false) AS otherwise,
         (SELECT max(least) FROM (
           SELECT arg_max(min_coverage, started) AS least FROM runs WHERE {question.in_suites} GROUP BY suite
         )) AS min_coverage,
         CASE WHEN f.outcome = 'ok' THEN price.seconds END AS decide_cpu
  FROM entrant e CROSS JOIN program p
  LEFT JOIN figure f ON f.benchmark = p.benchmark AND f.policy = e.policy AND f.seed = e.seed
  LEFT JOIN reference r ON r.benchmark = p.benchmark
  LEFT JOIN price ON price.cell = f.cell
){duel if paired else ""}{pairs_sql(question)}"""


_PAIRS = """
SELECT entry.*, pairs FROM entry LEFT JOIN timed ON timed.benchmark = entry.benchmark AND object = object_digest"""


def _ratios(question: Question) -> str:
    ratio = f"CASE WHEN same_object THEN 1 ELSE {ratio_sql(question, 'reference', 'value')} END"
    return f""", rated AS (
  SELECT entry.*, CASE WHEN reference IS NOT NULL THEN {ratio} END AS ratio FROM entry
), worst AS (  -- what a failed program counts as, with the policy's own worst
  SELECT benchmark, min(ratio) AS ratio FROM rated WHERE policy = {quote(floor(question))} GROUP BY benchmark
)
SELECT rated.*, CASE WHEN reference IS NULL THEN NULL
         WHEN count(rated.ratio) OVER (PARTITION BY policy, benchmark) = count(*) OVER (PARTITION BY policy, benchmark)
         THEN rated.ratio ELSE least(1, worst.ratio, min(rated.ratio) OVER (PARTITION BY policy)) END AS counted
FROM rated LEFT JOIN worst USING (benchmark)"""


def entries(index: "duckdb.DuckDBPyConnection", question: Question, policy: str | None = None) -> list[Entry]:
    """What the query gives, in its order. An index that is open does not change: it is asked once."""
    return list(_fetched(index, question, policy))


@lru_cache(maxsize=128)
def _fetched(index: "duckdb.DuckDBPyConnection", question: Question, policy: str | None) -> tuple[Entry, ...]:
    found = index.execute(entries_sql(question, policy))
    names = [column[0] for column in found.description or ()]
    paired = question.quantity.paired
    return tuple(_entry(dict(zip(names, row, strict=True)), paired) for row in found.fetchall())


def _entry(row: dict[str, Any], paired: bool) -> Entry:
    ratio = row.pop("ratio", None)
    row.pop("counted", None)
    pairs = row.pop("pairs", None)
    contest = _contest(row, ratio, pairs, paired)
    counts = row["reference"] is not None or row["value"] is None
    if row["outcome"] == "ok" and contest.estimate is None and counts:
        row["outcome"], row["detail"] = "not measured", contest.why
    return Entry(policy_class=row.pop("class"), contest=contest, **row)


def _contest(row: dict[str, Any], ratio: float | None, pairs: list[dict[str, Any]] | None, paired: bool) -> Contest:
    if row["reference"] is None:
        return lost(row["detail"] or "the reference has no value")
    if row["same_object"]:
        return known(1.0)
    if row["value"] is None:
        return lost(row["detail"])
    if paired:
        return timed(pairs or [])
    return lost(row["detail"]) if ratio is None else known(ratio)
