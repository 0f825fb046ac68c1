"""Standings: one SQL query a table. The page and the command line show the query that they ran.

Strict, matched and coverage are always given together (docs/methodology.md):

* *ratio* of a policy on a benchmark: reference's value / policy's value, above 1 is better
  (of a metric where zero is a good value, of the values plus one);
* *matched*: geometric mean over the benchmarks that both completed;
* *strict*: over all benchmarks of the reference; one that the policy failed or never tried counts
  as the worst of reference and the track's ``FLOOR``. Ranks go by this;
* *coverage*: the share of the reference's benchmarks that the policy completed;
* *low*, *high*: 95 % interval of strict for "programs like these": Student's t on log-ratios.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.measure import all_metrics, find_metric
from harness.rank.student import t_quantile
from harness.vocabulary import Track

if TYPE_CHECKING:
    import duckdb

__all__ = ["Question", "Standing", "figures_sql", "standings", "standings_sql"]

CONFIDENCE = 0.95
FLOOR = {Track.SIZE.value: "O0", Track.SPEED.value: "fast-o0"}
"""The policy that a failed benchmark counts as, where that is worse than the reference."""


@dataclass(frozen=True)
class Question:
    """Which standings."""

    suite: str
    target: str
    track: str
    metric: str
    reference: str
    llvm: str
    """Fingerprint of the compiler."""
    split: str | None = None
    origin: str | None = None
    """Restrict to benchmarks of this split, of this origin."""


@dataclass(frozen=True)
class Standing:
    """A policy's row."""

    suite: str
    target: str
    track: str
    policy_class: str
    metric: str
    policy: str
    reference: str
    rank: int | None
    """Within the class; None for metrics that are times, which need a campaign to be ranked."""
    strict: float | None
    matched: float | None
    coverage: float
    low: float | None
    high: float | None
    completed: int
    benchmarks: int

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        fields = asdict(self)
        fields["class"] = fields.pop("policy_class")
        return fields


def quote(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def floor(question: Question) -> str:
    """What a failed benchmark counts as: the worse of the reference and this policy."""
    return FLOOR.get(question.track, "O0")


def _can_be_zero(question: Question) -> bool:
    known = all_metrics().get(question.metric.partition("@")[0])
    return known is not None and known.can_be_zero


def ratio_sql(question: Question, over: str, under: str) -> str:
    """SQL of the ratio of two values of the question's metric."""
    if _can_be_zero(question):
        return f"({over} + 1) / ({under} + 1)"
    return f"{over} / {under}"


ENTRY = """, entry AS (  -- the newest cells, the seeds of one policy on one benchmark together
  SELECT policy, benchmark, any_value(split) AS split, any_value(origin) AS origin,
         coalesce(min(outcome) FILTER (outcome <> 'ok'), 'ok') AS outcome,
         coalesce(min(detail) FILTER (outcome <> 'ok'), '') AS detail,
         CASE WHEN count(DISTINCT object_digest) = 1 AND count(object_digest) = count(*)
              THEN any_value(object_digest) END AS object_digest,
         arg_min(decisions_digest, seed) AS decisions_digest, arg_min(cell, seed) AS cell,
         arg_max(run, started) AS run
  FROM newest GROUP BY policy, benchmark
)"""
"""A common table expression to follow ``figures_sql``."""


def figures_sql(question: Question, anchors: Sequence[str] = ()) -> str:
    """Common table expressions: ``newest`` cell of each policy, ``figure``: its value by benchmark.

    A benchmark's definition may have changed: what counts is the one that the ``anchors``, by
    default the reference, were last measured on.
    """
    anchored = ", ".join(quote(policy) for policy in anchors or [question.reference])
    least = ">=" if _can_be_zero(question) else ">"
    conditions = [
        f"suite = {quote(question.suite)}",
        f"target = {quote(question.target)}",
        f"track = {quote(question.track)}",
        f"llvm = {quote(question.llvm)}",
    ]
    if question.split:
        conditions.append(f"split = {quote(question.split)}")
    if question.origin:
        conditions.append(f"origin = {quote(question.origin)}")
    return f"""WITH asked AS (
  SELECT * FROM cells WHERE {" AND ".join(conditions)}
), version AS (  -- a policy that was changed counts as it is now
  SELECT policy, arg_max(policy_digest, started) AS policy_digest FROM asked GROUP BY policy
), latest AS (  -- the newest cell of each policy on each benchmark
  SELECT asked.* FROM asked JOIN version USING (policy, policy_digest)
  QUALIFY row_number() OVER (PARTITION BY benchmark, policy, seed ORDER BY isolation, started DESC, run DESC) = 1
), newest AS (  -- of the program as it was last measured
  SELECT latest.* FROM latest JOIN (
    SELECT benchmark, arg_max(program_digest, started) AS program_digest
    FROM latest WHERE policy IN ({anchored}) GROUP BY benchmark
  ) USING (benchmark, program_digest)
  WHERE outcome <> 'unsupported'
), figure AS (  -- its value; over seeds, the median
  SELECT n.benchmark, n.policy, median(m.value) AS value
  FROM newest n JOIN measurements m USING (cell)
  WHERE n.outcome = 'ok' AND m.metric = {quote(question.metric)} AND m.value {least} 0
  GROUP BY ALL
)"""


def standings_sql(question: Question) -> str:
    """The whole query; its columns are policy, class, strict, matched, completed, benchmarks, spread."""
    return f"""{figures_sql(question)}, reference AS (
  SELECT benchmark, value FROM figure WHERE policy = {quote(question.reference)}
), worst AS (  -- what a failed benchmark counts as
  SELECT r.benchmark, greatest(r.value, coalesce(o.value, r.value)) AS value
  FROM reference r LEFT JOIN (SELECT * FROM figure WHERE policy = {quote(floor(question))}) o USING (benchmark)
), ratio AS (
  SELECT p.policy, p.class, {ratio_sql(question, "r.value", "f.value")} AS matched,
         {ratio_sql(question, "r.value", "coalesce(f.value, w.value)")} AS strict
  FROM (SELECT DISTINCT policy, class FROM newest) p
  CROSS JOIN reference r JOIN worst w USING (benchmark)
  LEFT JOIN figure f ON f.benchmark = r.benchmark AND f.policy = p.policy
)
SELECT policy, class,  -- in a fixed order: floating-point sums depend on it, in the last digit
       exp(avg(ln(strict) ORDER BY strict)) AS strict,
       exp(avg(ln(matched) ORDER BY matched)) AS matched,
       count(matched) AS completed, count(*) AS benchmarks,
       stddev_samp(ln(strict) ORDER BY strict) AS spread
FROM ratio GROUP BY ALL ORDER BY class, strict DESC, policy"""


def standings(index: "duckdb.DuckDBPyConnection", question: Question) -> list[Standing]:
    """The table, best first within each class.

    Raises UsageError when the reference has no rows of this question: nothing can be compared then.
    """
    found = index.execute(standings_sql(question)).fetchall()
    if not found:
        raise UsageError(
            f"no rows of the reference policy {question.reference!r} for {question.suite}, {question.target}, "
            f"track {question.track}, metric {question.metric}"
            + "".join(f", {word}" for word in (question.split, question.origin) if word),
            hint=f"run `harness run --suite {question.suite} --policy {question.reference}` first",
        )
    ranked = find_metric(question.metric).deterministic
    table: list[Standing] = []
    for policy, policy_class, strict, matched, completed, benchmarks, spread in found:
        better = sum(1 for row in found if row[1] == policy_class and row[2] > strict)
        low, high = _interval(strict, spread, benchmarks)
        table.append(
            Standing(
                suite=question.suite,
                target=question.target,
                track=question.track,
                policy_class=policy_class,
                metric=question.metric,
                policy=policy,
                reference=question.reference,
                rank=better + 1 if ranked else None,
                strict=strict,
                matched=matched,
                coverage=completed / benchmarks,
                low=low,
                high=high,
                completed=completed,
                benchmarks=benchmarks,
            )
        )
    return table


def _interval(strict: float, spread: float | None, count: int) -> tuple[float | None, float | None]:
    """Student's t interval of the mean log-ratio, as ratios. None for fewer than two programs."""
    import math

    if spread is None or count < 2:
        return None, None
    half = t_quantile((1 + CONFIDENCE) / 2, count - 1) * spread / math.sqrt(count)
    return strict * math.exp(-half), strict * math.exp(half)
