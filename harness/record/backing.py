"""What stands behind a recorded run: a maintainer's signature, another machine that found the same, or its word."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from harness.record.ledger import verify
from harness.record.runfile import LEDGER

if TYPE_CHECKING:
    import duckdb

__all__ = ["Backing", "backings_of", "mark_backing", "official_runs"]


class Backing(StrEnum):
    """The best first."""

    OFFICIAL = "official"
    """Signed, in the ledger, and unaltered since."""
    REPRODUCED = "reproduced"
    """Every value of it that must repeat, and every failure, was found by a run on another machine too."""
    CLAIMED = "claimed"
    """Whoever made the file says so."""

    @property
    def at_least(self) -> tuple["Backing", ...]:
        """This one and the better ones."""
        every = tuple(Backing)
        return every[: every.index(self) + 1]


_BACKING = """
-- What stands behind each run.
CREATE TABLE backing AS
WITH said AS (  -- values that must repeat, and failures; of a machine, whatever cores of it a run might use
  SELECT r.run, regexp_replace(u.machine, ', [0-9]+ cores?$', '') AS machine,
         [r.suite, r.benchmark, r.target, r.track, r.policy, coalesce(r.policy_digest, ''),
          CAST(r.seed AS VARCHAR), coalesce(CAST(r.copy AS VARCHAR), ''), r.cell] AS about,
         [coalesce(r.metric, ''), coalesce(CAST(r.metric_version AS VARCHAR), ''), coalesce(r.workload, ''),
          coalesce(r.function, '')] AS what,
         [r.outcome, coalesce(r.decisions_digest, ''), coalesce(r.object_digest, ''), coalesce(r.fresh, ''),
          coalesce(CAST(r.exact AS VARCHAR), CAST(r.value AS VARCHAR), '')] AS value, r.value IS NOT NULL AS measured
  FROM rows r JOIN runs u USING (run)
  WHERE r.outcome <> 'ok' OR (r.value IS NOT NULL AND list_contains(?, split_part(r.metric, '@', 1)))
), held AS (
  SELECT a.run, a.about, a.what, a.measured, bool_or(b.value = a.value) AS found,
         bool_or(b.value <> a.value) AS contradicted
  FROM said a LEFT JOIN said b ON b.about = a.about AND b.what = a.what AND b.machine <> a.machine
  GROUP BY ALL
), whole AS (
  SELECT run, bool_or(measured) AND bool_and(coalesce(found, false) AND NOT coalesce(contradicted, false)) AS reproduced
  FROM held GROUP BY run
)
SELECT u.run, CASE WHEN list_contains(?, u.run) THEN 'official' WHEN w.reproduced THEN 'reproduced' ELSE 'claimed' END
       AS backing
FROM runs u LEFT JOIN whole w USING (run)
"""


def official_runs(results: Path) -> list[str]:
    """Names of the runs that are official and whole."""
    return list(verify(results).runs) if (results / LEDGER).is_file() else []


def mark_backing(index: "duckdb.DuckDBPyConnection", official: list[str], deterministic: list[str]) -> None:
    """Table ``backing`` of an index that is being built. ``deterministic``: metrics that must repeat exactly."""
    index.execute(_BACKING, [deterministic, official])


def backings_of(index: "duckdb.DuckDBPyConnection") -> dict[Backing, int]:
    """How many runs of an index have each, of those that any has."""
    counts = dict(index.execute("SELECT backing, count(*) FROM backing GROUP BY backing").fetchall())
    return {one: counts[one.value] for one in Backing if one.value in counts}
