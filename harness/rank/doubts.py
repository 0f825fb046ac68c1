"""What makes recorded numbers doubtful, whatever the question: said beside every table."""

from typing import TYPE_CHECKING

from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["doubts"]

_SHOWN = 3


def doubts(index: "duckdb.DuckDBPyConnection", questions: list[Question]) -> list[str]:
    """What is to be known of these questions' rows, a line each.

    Contradictions between runs, names that are too short, and policies that are left out of a table, since the
    programs or their workloads have changed.
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
    return lines + [line for question in questions if (line := _left_out(index, question))]


_LEFT_OUT = """
WITH last AS (
  SELECT benchmark, policy, arg_max((program_digest, workloads), started) AS made FROM cells
  WHERE list_contains($suites, suite) AND target = $target AND track = $track AND llvm = $llvm GROUP BY ALL
)
SELECT l.policy, count(*) FROM last l JOIN last r USING (benchmark)
WHERE r.policy = $reference AND l.made <> r.made GROUP BY l.policy ORDER BY l.policy
"""


def _left_out(index: "duckdb.DuckDBPyConnection", question: Question) -> str | None:
    """Who was measured with other sources or workloads than the reference: their figures do not compare."""
    names = ("suites", "target", "track", "llvm", "reference")
    found = index.execute(_LEFT_OUT, {name: getattr(question, name) for name in names}).fetchall()
    if not found:
        return None
    who = ", ".join(f"{policy} on {count}" for policy, count in found)
    place = f"{question.suite}, {question.target}, track {question.track}"
    return (
        f"measured with other sources or workloads of a program than {question.reference}, and left out there until "
        f"both are run again ({place}): {who}"
    )
