"""The SQL that all answers begin with: which cells count, what each gave, and the pairs that were timed."""

from collections.abc import Sequence

from harness.measure import Direction
from harness.rank.question import EVERYONE, Question, literal, quote
from harness.record.rows import NOT_REACHED

__all__ = ["alike_sql", "definition", "figures_sql", "pairs_sql", "ratio_sql", "same_object_sql", "unseen_sql"]


def ratio_sql(question: Question, over: str, under: str) -> str:
    """SQL of the ratio of two values of the question's metric: above 1, what is under is better."""
    if question.quantity.direction is Direction.HIGHER:
        over, under = under, over
    if question.quantity.can_be_zero:
        return f"({over} + 1) / ({under} + 1)"
    return f"{over} / {under}"


def same_object_sql(question: Question, one: str, other: str) -> str:
    """SQL of whether two object digests are equal, and so the metric's ratio exactly 1."""
    return f"coalesce({one} = {other}, false)" if question.quantity.of_object else "false"


def definition(question: Question) -> tuple[str, ...]:
    """What must be equal of the cells of a benchmark that are compared: columns of ``cells``."""
    return ("program_digest", "workloads", *(("runtime",) if question.quantity.counted else ()))


def alike_sql(one: str, other: str) -> str:
    """SQL of whether two cells were linked with the same C++ library and others, as far as their files say it."""
    return f"({one}.linked = {other}.linked OR '' IN ({one}.linked, {other}.linked))"


def unseen_sql(question: Question) -> list[str]:
    """The condition that a benchmark was not trained on, where the question asks for that."""
    if not question.unseen:
        return []
    by = "" if EVERYONE in question.unseen else f" AND policy IN ({', '.join(map(quote, question.unseen))})"
    return [f"benchmark NOT IN (SELECT benchmark FROM training WHERE {question.in_suites}{by})"]


def figures_sql(question: Question, anchors: Sequence[str] = ()) -> str:
    """Common table expressions: ``newest`` cells, and ``figure``: one row a policy, benchmark and seed with its value.

    A benchmark's sources and workloads may have changed, and of what is counted C library, linker and emulator: what
    counts are those that the ``anchors``, by default the reference, were last measured with.
    """
    anchored = ", ".join(quote(policy) for policy in anchors or [question.reference])
    least = ">=" if question.quantity.can_be_zero else ">"
    conditions = [
        question.in_suites,
        f"target = {quote(question.target)}",
        f"track = {quote(question.track)}",
        f"llvm = {quote(question.llvm)}",
    ]
    conditions += [f"{name} = {literal(value)}" for name, value in question.conditions]
    conditions += [*question.among(), *unseen_sql(question)]
    same = definition(question)
    counted = question.quantity.counted
    linked = f"{alike_sql('latest', 'made')} AND " if counted else ""
    last = ", ".join(f"arg_max({name}, started) AS {name}" for name in (*same, *(("linked",) if counted else ())))
    # A time that could not be taken again does not stand; what is counted is true for good.
    stands = " AND w.value IS NOT NULL" if question.quantity.timed else ""
    return f"""WITH asked AS (
  SELECT c.* REPLACE (
    CASE WHEN c.outcome = 'ok' THEN coalesce(f.outcome, 'ok') ELSE c.outcome END AS outcome,
    CASE WHEN c.outcome = 'ok' THEN coalesce(f.detail, '') ELSE c.detail END AS detail)
  FROM (SELECT * FROM cells WHERE {" AND ".join(conditions)}) c
  LEFT JOIN refuted f  -- an object that failed on a fresh input is a miscompile wherever it is recorded as ok
    ON (f.suite = c.suite OR f.program_digest = c.program_digest)  -- suites share programs
    AND f.benchmark = c.benchmark AND f.target = c.target AND f.object_digest = c.object_digest
    AND f.isolation IN (c.isolation, 'sandbox')
), version AS (  -- a policy that was changed counts as it is now
  SELECT policy, arg_max(policy_digest, started) AS policy_digest FROM asked GROUP BY policy
), latest AS (  -- the newest cell of each policy on each benchmark
  SELECT asked.* FROM asked JOIN version USING (policy, policy_digest)
  QUALIFY row_number() OVER (PARTITION BY benchmark, policy, seed ORDER BY isolation, started DESC, run DESC) = 1
), newest AS (  -- of the program as it was last measured, on the workloads that it was last verified and counted on
  SELECT latest.* FROM latest JOIN (
    SELECT benchmark, {last}
    FROM latest WHERE policy IN ({anchored}) GROUP BY benchmark
  ) made USING (benchmark, {", ".join(same)})
  WHERE {linked}outcome <> 'unsupported'
), word AS (  -- what was said last of the metric: a value, or why there is none
  SELECT r.cell, r.value, r.detail, r.metric_version AS made FROM rows r JOIN runs u USING (run)
  WHERE r.metric = {quote(question.metric)}
  QUALIFY row_number() OVER (
    PARTITION BY r.cell
    ORDER BY made DESC, coalesce(r.detail, '') = {quote(NOT_REACHED)}, r.isolation, u.started DESC, r.run DESC) = 1
), source AS ({_source_sql(question)}
), taken AS (  -- values of two versions of the metric are never compared
  SELECT coalesce(max(made) FILTER (policy IN ({anchored}) AND outcome = 'ok'), max(made)) AS version
  FROM newest JOIN source USING (cell) JOIN word ON word.cell = source.said
), value AS (  -- only what can be a value: the rest are outcomes
  SELECT cell, median(value) AS value FROM measurements JOIN taken ON metric_version = taken.version
  WHERE metric = {quote(question.metric)} AND isfinite(value) AND value {least} 0 GROUP BY cell
), figure AS (  -- what each cell gave
  SELECT n.policy, n.class, n.benchmark, n.seed, n.outcome, n.cell, n.run, n.object_digest, n.decisions_digest,
         CASE WHEN n.outcome = 'ok'{stands} THEN v.value END AS value, w.cell IS NOT NULL AS was_asked,
         n.outcome = 'ok' AND w.made <> taken.version AS otherwise,
         CASE WHEN n.outcome <> 'ok' THEN n.detail WHEN w.cell IS NULL THEN ''
              WHEN otherwise THEN format('version {{}} of the metric, compared with {{}}', w.made, taken.version)
              WHEN w.value IS NULL THEN coalesce(w.detail, '')
              WHEN v.value IS NULL THEN format('{{}} is no value of this metric', w.value) ELSE '' END AS detail
  FROM newest n CROSS JOIN taken LEFT JOIN source s ON s.cell = n.cell
  LEFT JOIN word w ON w.cell = s.said LEFT JOIN value v ON v.cell = s.said
)"""


def _source_sql(question: Question) -> str:
    """The query for which cell's word counts of each of the ``newest``: its own; of what is an object's, that of any
    cell which gave the same object of the same program on the same workloads, where its own has no value. A cell has
    another key where only the harness has changed.
    """
    if not question.quantity.of_object or question.quantity.timed:
        return "SELECT cell, cell AS said FROM newest"
    return f"""
  SELECT n.cell, c.cell AS said FROM newest n
  JOIN asked c USING (benchmark, object_digest, program_digest, workloads, isolation)
  JOIN word w ON w.cell = c.cell
  WHERE n.outcome = 'ok' AND c.outcome = 'ok' AND n.runtime = c.runtime AND {alike_sql("n", "c")}
  QUALIFY row_number() OVER (
    PARTITION BY n.cell
    ORDER BY w.value IS NOT NULL DESC, c.cell = n.cell DESC, w.made DESC, c.started DESC, c.run DESC) = 1"""


def pairs_sql(question: Question) -> str:
    """More of them, behind a ``duel`` (benchmark, object, against): ``timed``, with the list of each duel's pairs.

    Pairs of one machine's campaigns and one version of the workload are pooled: of the machine that timed most of the
    programs, by sound campaigns if it can be, and of several the one that did so last. Pairs of marked campaigns are
    there only where a duel has no others, and those that were taken without the sandbox only where a row of the duel
    says so. Nothing follows ``duel`` for a metric without pairs.
    """
    if not question.quantity.paired:
        return ""
    return f""", boxed AS (  -- rows that say nothing of trust: without the sandbox nothing was timed for them
  SELECT benchmark, object_digest AS object FROM newest WHERE isolation = 'sandbox' AND object_digest IS NOT NULL
), met AS (  -- the blocks in which both objects were timed
  SELECT p.* FROM duel d JOIN pairs p USING (benchmark, object, against)
  WHERE p.{question.in_suites} AND p.target = {quote(question.target)} AND isfinite(p.log_ratio)
    AND p.run NOT IN (  -- by the same version of the metric
      SELECT run FROM rows, taken WHERE metric = {quote(question.metric)} AND metric_version <> taken.version)
    AND (p.isolation = 'sandbox' OR (p.benchmark, p.object) NOT IN (SELECT (benchmark, object) FROM boxed)
         OR (p.benchmark, p.against) NOT IN (SELECT (benchmark, object) FROM boxed))
), here AS (  -- of one machine
  SELECT * FROM met
  WHERE machine = (
    SELECT machine FROM met GROUP BY machine
    ORDER BY count(DISTINCT benchmark) FILTER (len(marks) = 0) DESC, count(DISTINCT benchmark) DESC,
             max(started) DESC, machine LIMIT 1)
), alike AS (  -- of the workload as it was last timed
  SELECT * FROM here
  QUALIFY inputs = first_value(inputs) OVER (PARTITION BY benchmark ORDER BY len(marks) > 0, started DESC, inputs)
), used AS (  -- of sound campaigns, where there is one
  SELECT * FROM alike
  QUALIFY (len(marks) = 0) = bool_or(len(marks) = 0) OVER (PARTITION BY benchmark, object, against)
), timed AS (
  SELECT benchmark, object, against,
         list({{'campaign': campaign, 'layout': layout, 'log_ratio': log_ratio, 'marks': marks}}
              ORDER BY started, campaign, number) AS pairs
  FROM used GROUP BY ALL
)"""
