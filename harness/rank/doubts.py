"""What makes recorded numbers doubtful, whatever the question: said beside every table."""

from typing import TYPE_CHECKING

from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["doubts"]

_SHOWN = 3


def doubts(index: "duckdb.DuckDBPyConnection", questions: list[Question]) -> list[str]:
    """One line for each contradiction between runs of these questions' suites, and one for all short names."""
    suites = sorted({question.suite for question in questions})
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
    return lines
