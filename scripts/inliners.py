"""Print the tables of docs/inlining.md from recorded results: what policies that decide what to inline give.

usage: .venv/bin/python scripts/inliners.py zero-shot|search [RESULTS]
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.paths import default_results
from harness.policy.tracks import facts_of
from harness.rank import Question, Standing, standings
from harness.rank.question import fingerprints
from harness.record import open_index

if TYPE_CHECKING:
    import duckdb

PROBLEM, TRACK = "inlining", "size"
BESIDE = {"zero-shot": ("inline-never", "inline-always"), "search": ()}
"""Policies of other classes that the table of a class has, too."""
METRICS = ("size.alloc", "size.text")
SUITES = ("cbench", "mibench", "spec-like", "polybench")
TARGETS = ("x86-64", "aarch64")
KERNELS = "polybench"
TOGETHER, APPLICATIONS = "all", "applications"
"""Rows of the board of all suites, with the suite of kernels and without."""


def main() -> None:
    """Of each metric, a row for each suite, target and split, and for all suites; a column for each policy: strict."""
    if len(sys.argv) < 2 or sys.argv[1] not in BESIDE:
        sys.exit(__doc__)
    kind, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else default_results()
    with open_index(folder) as index:
        query = """SELECT DISTINCT policy FROM cells
WHERE problem = ? AND track = ? AND (class = ? OR list_contains(?, policy)) ORDER BY policy"""
        found = index.execute(query, [PROBLEM, TRACK, kind, list(BESIDE[kind])]).fetchall()
        policies = [name for (name,) in found]
        for metric in METRICS:
            print(f"| `{metric}` | target | split | programs | " + " | ".join(policies) + " |")
            print("|---|---|---|---:|" + "---:|" * len(policies))
            for line in of_each(index, metric, policies):
                print(line)
            for line in of_all(index, metric, policies):
                print(line)
            print()


def of_each(index: "duckdb.DuckDBPyConnection", metric: str, policies: Sequence[str]) -> Iterator[str]:
    """Rows of suites by themselves. Failed programs count."""
    there = recorded(index)
    for suite in SUITES:
        for target in TARGETS:
            for split in ("train", "test"):
                if (suite, target, split) in there:
                    table = board(index, suite, target, split, metric)
                    yield row((suite, target, split), table, [figure(table.get(name)) for name in policies])


def of_all(index: "duckdb.DuckDBPyConnection", metric: str, policies: Sequence[str]) -> Iterator[str]:
    """Rows of all suites together, if they are there: of policies that were run on each of them, with intervals."""
    there, split = recorded(index), "test"
    query = """SELECT policy, target FROM cells WHERE track = ? AND list_contains(?, suite)
GROUP BY policy, target HAVING count(DISTINCT suite) = ?"""
    everywhere = set(index.execute(query, [TRACK, list(SUITES), len(SUITES)]).fetchall())
    for target in TARGETS:
        if any((suite, target, split) not in there for suite in SUITES):
            continue
        for name, only in ((TOGETHER, ()), (APPLICATIONS, applications(index))):
            table = board(index, TOGETHER, target, split, metric, only)
            figures = [interval(table[one]) if (one, target) in everywhere else "–" for one in policies]
            yield row((name, target, split), table, figures)


def recorded(index: "duckdb.DuckDBPyConnection") -> set[tuple[str, str, str]]:
    """Suites, targets and splits."""
    query = "SELECT DISTINCT suite, target, split FROM cells WHERE track = ?"
    return set(index.execute(query, [TRACK]).fetchall())


def applications(index: "duckdb.DuckDBPyConnection") -> tuple[str, ...]:
    """Names of all programs that are no kernels."""
    query = """SELECT benchmark FROM cells WHERE track = ? AND list_contains(?, suite)
EXCEPT SELECT benchmark FROM cells WHERE suite = ? ORDER BY benchmark"""
    return tuple(name for (name,) in index.execute(query, [TRACK, list(SUITES), KERNELS]).fetchall())


def board(
    index: "duckdb.DuckDBPyConnection", suite: str, target: str, split: str, metric: str, only: tuple[str, ...] = ()
) -> dict[str, Standing]:
    """Policies, as they stand."""
    reference, compiler = facts_of(TRACK).references[0], fingerprints(index)[0][0]
    asked = Question(suite, target, TRACK, metric, reference, compiler, split, benchmarks=only)
    return {one.policy: one for one in standings(index, asked)}


def row(facts: tuple[str, str, str], table: dict[str, Standing], figures: Sequence[str]) -> str:
    """A line of Markdown."""
    count = max(one.benchmarks for one in table.values())
    return f"| {' | '.join(facts)} | {count} | {' | '.join(figures)} |"


def figure(one: Standing | None) -> str:
    """Strict."""
    return "–" if one is None or one.strict is None else f"{one.strict:.4f}"


def interval(one: Standing) -> str:
    """Strict, and where it may lie for programs like these."""
    return f"{figure(one)} ({one.low:.4f} – {one.high:.4f})"


if __name__ == "__main__":
    main()
