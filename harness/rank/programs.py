"""The programs behind one standing: what each gave, and what it counts as in strict."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import UsageError
from harness.rank.standings import ENTRY, Question, figures_sql, floor, quote, ratio_sql

if TYPE_CHECKING:
    import duckdb

__all__ = ["ProgramFigure", "programs", "programs_sql"]


@dataclass(frozen=True)
class ProgramFigure:
    """One program under one policy."""

    benchmark: str
    split: str
    origin: str
    outcome: str
    """The cell's outcome; ``not run`` without a cell, ``not measured`` when it lacks the metric."""
    detail: str
    """For people: why the outcome is not ok, or the metric not measured."""
    reference: float | None
    """The metric's value under the reference."""
    policy: float | None
    """The metric's value under the policy; None without an ok outcome."""
    ratio: float | None
    """``reference`` / ``policy``: above 1 is better."""
    counted: float | None
    """What the program counts as in strict: the ratio, or of a failed one the worst of reference and
    the track's floor. None where the reference has no value: the program does not count then."""
    object_digest: str | None
    same_object: bool
    """The policy gave the reference's object: the ratio is exactly 1."""
    decisions_digest: str | None
    run: str | None

    def record(self) -> dict[str, Any]:
        """As a flat dictionary."""
        return asdict(self)


def programs_sql(question: Question, policy: str) -> str:
    """The query behind ``programs``. Strict is the geometric mean of its column ``counted``."""
    worst = "coalesce(fp.value, greatest(fr.value, coalesce(fo.value, fr.value)))"
    return f"""{figures_sql(question)}{ENTRY}
SELECT coalesce(p.benchmark, r.benchmark) AS benchmark, coalesce(p.split, r.split) AS split,
       coalesce(p.origin, r.origin) AS origin,
       CASE WHEN p.outcome = 'ok' AND fp.value IS NULL THEN 'not measured'
            ELSE coalesce(p.outcome, 'not run') END AS outcome,
       coalesce(nullif(p.detail, ''), CASE WHEN fp.value IS NULL THEN n.why END, '') AS detail,
       fr.value AS reference, fp.value AS policy, {ratio_sql(question, "fr.value", "fp.value")} AS ratio,
       {ratio_sql(question, "fr.value", worst)} AS counted,
       p.object_digest, coalesce(p.object_digest = r.object_digest, false) AS same_object,
       p.decisions_digest, p.run
FROM (SELECT * FROM entry WHERE policy = {quote(policy)}) p
FULL JOIN (SELECT * FROM entry WHERE policy = {quote(question.reference)}) r USING (benchmark)
LEFT JOIN figure fp ON fp.benchmark = p.benchmark AND fp.policy = p.policy
LEFT JOIN figure fr ON fr.benchmark = r.benchmark AND fr.policy = r.policy
LEFT JOIN figure fo ON fo.benchmark = r.benchmark AND fo.policy = {quote(floor(question))}
LEFT JOIN (SELECT cell, any_value(detail) AS why FROM rows
           WHERE metric = {quote(question.metric)} AND value IS NULL GROUP BY cell) n ON n.cell = p.cell
ORDER BY counted DESC NULLS LAST, benchmark"""


def programs(index: "duckdb.DuckDBPyConnection", question: Question, policy: str) -> list[ProgramFigure]:
    """Every program of the policy or of the reference, the policy's largest gain first.

    Raises UsageError when the policy has no rows of this question.
    """
    found = [ProgramFigure(*row) for row in index.execute(programs_sql(question, policy)).fetchall()]
    if all(program.outcome == "not run" for program in found):
        raise UsageError(
            f"no rows of policy {policy!r} for {question.suite}, {question.target}, track {question.track}",
            hint=f"run `harness run --suite {question.suite} --policy {policy}` first",
        )
    return found
