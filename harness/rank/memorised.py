"""Whether gains survive when modules get other names and another order (``harness run --perturb``).

A policy that has learnt by heart what to do with these very modules loses its gain on their copies. A gain of less than
one per cent is not judged, and a policy that works keeps more than half of a gain on at least one of the copies: names
and order move honest policies a little too.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from harness.rank.figures import alike_sql, definition, figures_sql, ratio_sql, same_object_sql
from harness.rank.question import Question, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["OnCopies", "memorised_remarks", "on_copies", "on_copies_sql"]

LEAST_GAIN = math.log(1.01)
"""Log-ratio below which a gain is not judged."""
KEPT = 0.5
"""A gain of which no copy shows more than this share has disappeared."""


@dataclass(frozen=True, slots=True)
class OnCopies:
    """A policy on one program and its copies."""

    policy: str
    benchmark: str
    ratio: float
    """Reference's value over the policy's; over seeds, the geometric mean. Above 1 is better."""
    copies: tuple[float | None, ...]
    """The same of each copy, where both were compiled from that copy. None: a failure."""

    @property
    def memorised(self) -> bool:
        """A gain that disappears."""
        gain = math.log(self.ratio)
        kept = [math.log(ratio) for ratio in self.copies if ratio is not None]
        return gain >= LEAST_GAIN and all(other <= KEPT * gain for other in kept)

    def record(self) -> dict[str, Any]:
        """As a flat dictionary."""
        return asdict(self) | {"memorised": self.memorised}


def on_copies_sql(question: Question) -> str:
    """One row a policy, program, seed and copy: the ratio on the module, and on the copy."""
    same = same_object_sql(question, "f.object_digest", "r.object_digest")
    counted = question.quantity.counted
    alike = ", ".join(("benchmark", *(definition(question) if counted else ("program_digest",))))
    linked = f"{alike_sql('c', 'made')} AND " if counted else ""
    return f"""{figures_sql(question)}, twin AS (  -- the newest cell of each copy
  SELECT c.* FROM copies c JOIN version USING (policy, policy_digest)
  JOIN (SELECT {alike}, max(linked) AS linked FROM newest GROUP BY ALL) made USING ({alike})
  WHERE {linked}{question.in_suites} AND target = {quote(question.target)}
    AND track = {quote(question.track)} AND llvm = {quote(question.llvm)}
  QUALIFY row_number() OVER (PARTITION BY benchmark, policy, seed, copy ORDER BY started DESC) = 1
), told AS (
  SELECT t.*, CASE WHEN outcome = 'ok' THEN v.value END AS value FROM twin t LEFT JOIN value v USING (cell)
), anchor AS (  -- the reference, whose copy of the same number is the same module
  SELECT benchmark, copy, median(value) AS value FROM told WHERE policy = {quote(question.reference)} GROUP BY ALL
)
SELECT f.policy, f.benchmark, f.seed, t.copy,
       CASE WHEN {same} THEN 1 ELSE {ratio_sql(question, "r.value", "f.value")} END AS ratio,
       {ratio_sql(question, "a.value", "t.value")} AS copied
FROM figure f JOIN figure r ON r.benchmark = f.benchmark AND r.policy = {quote(question.reference)}
JOIN told t ON t.benchmark = f.benchmark AND t.policy = f.policy AND t.seed = f.seed
JOIN anchor a ON a.benchmark = f.benchmark AND a.copy = t.copy
WHERE f.value IS NOT NULL AND r.value IS NOT NULL AND a.value IS NOT NULL AND f.policy <> r.policy
ORDER BY f.policy, f.benchmark, t.copy, f.seed"""


def on_copies(index: "duckdb.DuckDBPyConnection", question: Question) -> list[OnCopies]:
    """Every policy's programs of which copies were measured; none without any."""
    recorded = f"SELECT 1 FROM rows WHERE {question.in_suites} AND copy IS NOT NULL LIMIT 1"
    if not index.execute(recorded).fetchall():  # most suites: the query would take far longer
        return []
    found: dict[tuple[str, str], dict[int, list[tuple[float, float | None]]]] = defaultdict(lambda: defaultdict(list))
    for policy, benchmark, _, copy, ratio, copied in index.execute(on_copies_sql(question)).fetchall():
        found[policy, benchmark][copy].append((ratio, copied))
    return [
        OnCopies(
            policy,
            benchmark,
            _mean([ratio for ratio, _ in next(iter(copies.values()))]) or 1.0,
            tuple(_mean([copied for _, copied in seeds]) for seeds in copies.values()),
        )
        for (policy, benchmark), copies in found.items()
    ]


def _mean(ratios: Sequence[float | None]) -> float | None:
    """The geometric mean over seeds; None where one failed."""
    found = [ratio for ratio in ratios if ratio is not None]
    if len(found) < len(ratios):
        return None
    return math.exp(math.fsum(map(math.log, found)) / len(found))


def memorised_remarks(found: Sequence[OnCopies]) -> dict[str, str]:
    """Policy → what is said of it, for those of which a gain disappears."""
    remarks: dict[str, str] = {}
    for policy in dict.fromkeys(one.policy for one in found):
        mine = [one for one in found if one.policy == policy]
        gone = sorted((one for one in mine if one.memorised), key=lambda one: -one.ratio)
        if gone:
            shown = ", ".join(f"{one.benchmark} {one.ratio:.3f} → {_best(one)}" for one in gone[:3])
            more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
            remarks[policy] = (
                f"memorised: the gain on {len(gone)} of {len(mine)} programs disappears when names and order change "
                f"({shown}{more})"
            )
    return remarks


def _best(one: OnCopies) -> str:
    kept = [ratio for ratio in one.copies if ratio is not None]
    return f"{max(kept):.3f}" if kept else "failed"
