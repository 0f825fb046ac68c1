"""Print the tables of docs/inlining.md from recorded results: what policies that decide what to inline give.

usage: .venv/bin/python scripts/inliners.py [RESULTS]
"""

import sys
from pathlib import Path

from harness.base.paths import default_results
from harness.policy.tracks import facts_of
from harness.rank import Question, Standing, standings
from harness.rank.question import fingerprints
from harness.record import open_index

PROBLEM, TRACK, CLASS = "inlining", "size", "zero-shot"
CONSTANT = ("inline-never", "inline-always")
METRICS = ("size.alloc", "size.text")
SUITES = ("cbench", "mibench", "spec-like", "polybench")


def main() -> None:
    """Of each metric, a row for each suite, target and split, and a column for each policy: strict."""
    with open_index(Path(sys.argv[1]) if len(sys.argv) > 1 else default_results()) as index:
        query = """SELECT DISTINCT policy FROM cells
WHERE problem = ? AND track = ? AND (class = ? OR list_contains(?, policy)) ORDER BY policy"""
        policies = [name for (name,) in index.execute(query, [PROBLEM, TRACK, CLASS, list(CONSTANT)]).fetchall()]
        query = "SELECT DISTINCT suite, target, split FROM cells WHERE track = ?"
        found = [one for one in index.execute(query, [TRACK]).fetchall() if one[0] in SUITES]
        found.sort(key=lambda one: (SUITES.index(one[0]), one[1] != "x86-64", one[2] != "train"))
        reference, compiler = facts_of(TRACK).references[0], fingerprints(index)[0][0]
        for metric in METRICS:
            print(f"| `{metric}` | target | split | programs | " + " | ".join(policies) + " |")
            print("|---|---|---|---:|" + "---:|" * len(policies))
            for suite, target, split in found:
                asked = Question(suite, target, TRACK, metric, reference, compiler, split)
                table = {row.policy: row for row in standings(index, asked)}
                figures = [figure(table.get(name)) for name in policies]
                count = max(row.benchmarks for row in table.values())
                print(f"| {suite} | {target} | {split} | {count} | {' | '.join(figures)} |")
            print()


def figure(row: Standing | None) -> str:
    """Failed programs count."""
    return "–" if row is None or row.strict is None else f"{row.strict:.4f}"


if __name__ == "__main__":
    main()
