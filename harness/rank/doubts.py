"""What makes recorded numbers doubtful, whatever the question: said beside every table."""

from typing import TYPE_CHECKING

from harness.rank.figures import alike_sql
from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["doubts"]

_SHOWN = 3


def doubts(index: "duckdb.DuckDBPyConnection", questions: list[Question]) -> list[str]:
    """What is to be known of these questions' rows, a line each.

    Contradictions between runs, names that are too short, and policies that are left out of a table, since the
    programs, their workloads, or what they were counted with have changed.
    """
    suites = sorted({suite for question in questions for suite in question.suites})
    found = index.execute(
        "SELECT suite, benchmark, target, policies, metric, found, runs FROM contradictions"
        " WHERE list_contains(?, suite) ORDER BY ALL",
        [suites],
    ).fetchall()
    lines = [
        f"contradictory values recorded for {suite}/{benchmark}, {target}, {', '.join(policies)}, {metric}: "
        f"{' and '.join(values)} (runs {' and '.join(runs)}); the newest is shown"
        for suite, benchmark, target, policies, metric, values, runs in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        lines.append(f"{len(found) - _SHOWN} more contradictory values")
    query = "SELECT run FROM runs WHERE unpinned AND list_contains(?, suite) ORDER BY run"
    short = [str(run) for (run,) in index.execute(query, [suites]).fetchall()]
    if short:
        more = f" and {len(short) - _SHOWN} more" if len(short) > _SHOWN else ""
        lines.append(
            "names that carry only 48 bits of the file's digest, and no SHA256SUMS beside them that pins the rest: "
            f"{', '.join(short[:_SHOWN])}{more}"
        )
    return lines + [line for question in questions for line in _left_out(index, question)]


_LEFT_OUT = f"""
WITH last AS (
  SELECT benchmark, policy, arg_max((program_digest, workloads), started) AS made, arg_max(runtime, started) AS runtime,
         arg_max(linked, started) AS linked
  FROM cells
  WHERE list_contains($suites, suite) AND target = $target AND track = $track AND llvm = $llvm GROUP BY ALL
)
SELECT l.policy, count(*) FILTER (l.made <> r.made),
       count(*) FILTER ($counted AND l.made = r.made AND NOT (l.runtime = r.runtime AND {alike_sql("l", "r")}))
FROM last l JOIN last r USING (benchmark) WHERE r.policy = $reference GROUP BY l.policy ORDER BY l.policy
"""


def _left_out(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """Who was measured with other sources or workloads than the reference, and who was counted with another C library,
    another C++ library, linker or emulator: their figures do not compare.
    """
    names = ("suites", "target", "track", "llvm", "reference")
    asked = {name: getattr(question, name) for name in names} | {"counted": question.quantity.counted}
    found = index.execute(_LEFT_OUT, asked).fetchall()
    place = f"{question.suite}, {question.target}, track {question.track}"
    reasons = (
        f"measured with other sources or workloads of a program than {question.reference}",
        f"{question.metric} counted with another C library, linker or emulator than {question.reference}",
    )
    return [
        f"{reason}, and left out there until both are run again ({place}): {', '.join(who)}"
        for number, reason in enumerate(reasons, 1)
        if (who := [f"{row[0]} on {row[number]}" for row in found if row[number]])
    ]
