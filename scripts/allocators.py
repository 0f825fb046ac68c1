"""Print the table of docs/allocators.md from recorded results: what LLVM's register allocators do to each metric.

usage: .venv/bin/python scripts/allocators.py [RESULTS]
"""

import sys
from pathlib import Path

from harness.base.paths import default_results
from harness.policy.tracks import facts_of
from harness.rank import Question, standings
from harness.rank.question import fingerprints
from harness.rank.words import rank_range
from harness.record import open_index

METRICS = ("instructions", "accesses", "mca.cycles", "spills", "size.alloc")
POLICIES = ("greedy", "basic", "pbqp", "fast", "fast-o0")


def main() -> None:
    """One table for each suite and target: a row for each policy and reference, a column for each metric.

    Then one of run time for each suite that was timed.
    """
    results = Path(sys.argv[1]) if len(sys.argv) > 1 else default_results()
    with open_index(results) as index:
        llvm = fingerprints(index)[0][0]
        found = index.execute("SELECT DISTINCT suite, target FROM cells WHERE track = 'speed' ORDER BY 1 DESC, 2 DESC")
        places = found.fetchall()
        for suite, target in places:
            print(f"\n**{suite}, {target}**\n")
            print("| against | policy | covered | " + " | ".join(f"`{name}`" for name in METRICS) + " |")
            print("|---|---|---|" + "---:|" * len(METRICS))
            for reference in facts_of("speed").references:
                table = {
                    metric: {
                        row.policy: row
                        for row in standings(index, Question(suite, target, "speed", metric, reference, llvm))
                    }
                    for metric in METRICS
                }
                for policy in POLICIES:
                    if policy != reference:
                        row = table["instructions"][policy]
                        figures = " | ".join(f"{table[metric][policy].strict:.3f}" for metric in METRICS)
                        print(f"| {reference} | {policy} | {row.completed}/{row.benchmarks} | {figures} |")
        timed = index.execute("SELECT DISTINCT suite, target FROM timings ORDER BY 1 DESC").fetchall()
        print("\n| suite | policy | rank | covered | run time | 95 % interval | better / not told apart / worse |")
        print("|---|---|---|---|---:|---|---|")
        for suite, target in timed:
            for row in standings(index, Question(suite, target, "speed", "runtime.cpu", "greedy", llvm)):
                if row.completed:
                    decided = f"{row.wins} / {row.ties} / {row.losses}"
                    interval = f"{row.low:.3f} – {row.high:.3f}"
                    print(
                        f"| {suite} | {row.policy} | {rank_range(row)} | {row.completed}/{row.benchmarks} | "
                        f"{row.strict:.3f} | {interval} | {decided} |"
                    )


if __name__ == "__main__":
    main()
