"""Print the tables of docs/allocators.md from recorded results: what LLVM's register allocators do to each metric.

usage: .venv/bin/python scripts/allocators.py counts|times|models [RESULTS]

counts: executed and modelled, and sizes, of every suite and target. times: by the clock. models: what llvm-mca says of
the same programs, of the fixed CPU and of the one that was timed, and how well it agrees with the clock.
"""

import math
import statistics
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.rank import Question, standings
from harness.rank.programs import programs
from harness.rank.question import fingerprints
from harness.rank.words import decided, rank_range, verdict_mark
from harness.record import open_index

if TYPE_CHECKING:
    import duckdb

METRICS = ("instructions", "accesses", "mca.cycles", "spills", "size.alloc")
POLICIES = ("basic", "pbqp", "fast", "fast-o0")
AGAINST, TRACK, TIMED, MODEL = "greedy", "speed", "runtime.cpu", "mca.cycles"
SUITES = ("cbench", "mibench", "spec-like", "polybench")


def main() -> None:
    """The table that is asked for, of all programs of each suite."""
    tables = {"counts": counts, "times": times, "models": models}
    if len(sys.argv) < 2 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    with open_index(Path(sys.argv[2]) if len(sys.argv) > 2 else default_results()) as index:
        tables[sys.argv[1]](index)


def question(index: "duckdb.DuckDBPyConnection", suite: str, target: str, metric: str) -> Question:
    """Against greedy."""
    return Question(suite, target, TRACK, metric, AGAINST, fingerprints(index)[0][0])


def counts(index: "duckdb.DuckDBPyConnection") -> None:
    """A row for each suite, target and policy, a column for each metric: strict."""
    found = index.execute("SELECT DISTINCT suite, target FROM cells WHERE track = ?", [TRACK]).fetchall()
    print("| suite | target | policy | covered | " + " | ".join(f"`{name}`" for name in METRICS) + " |")
    print("|---|---|---|---|" + "---:|" * len(METRICS))
    for suite, target in sorted(found, key=lambda one: (SUITES.index(one[0]), one[1] != "x86-64")):
        asked = {metric: question(index, suite, target, metric) for metric in METRICS}
        table = {metric: {row.policy: row for row in standings(index, one)} for metric, one in asked.items()}
        for policy in POLICIES:
            row = table["instructions"][policy]
            figures = " | ".join(f"{table[metric][policy].strict:.3f}" for metric in METRICS)
            print(f"| {suite} | {target} | {policy} | {row.completed}/{row.benchmarks} | {figures} |")


def timed(index: "duckdb.DuckDBPyConnection") -> list[tuple[str, str]]:
    """Suites and targets that were timed."""
    found = index.execute("SELECT DISTINCT suite, target FROM timings").fetchall()
    return sorted(found, key=lambda one: SUITES.index(one[0]))


def times(index: "duckdb.DuckDBPyConnection") -> None:
    """A row for each suite and policy."""
    print("| suite | policy | rank | verdict | covered | run time | 95 % interval | W/T/?/L |")
    print("|---|---|---|---|---|---:|---|---|")
    for suite, target in timed(index):
        for row in standings(index, question(index, suite, target, TIMED)):
            if row.completed and row.policy in (AGAINST, *POLICIES):  # some objects of others are the same
                words = [rank_range(row) or "–", verdict_mark(row.verdict, row.depends_on) or "–"]
                words += [f"{row.completed}/{row.benchmarks}", f"{row.strict:.4f}", f"{row.low:.4f} – {row.high:.4f}"]
                print(f"| {suite} | {row.policy} | {' | '.join(words)} | {decided(row)} |")


def models(index: "duckdb.DuckDBPyConnection") -> None:
    """A row for each suite and policy: the clock's mean; of each CPU the model's, and how well it agrees."""
    clocks = {suite: question(index, suite, target, TIMED) for suite, target in timed(index)}
    modelled = [row.modelled or {} for clock in clocks.values() for row in standings(index, clock)]
    cpus = {cpu: None for models in modelled for cpu in models}
    print("| suite | policy | programs | clock | " + " | ".join(f"{cpu} | correlation" for cpu in cpus) + " |")
    print("|---|---|---:|---:|" + "---:|---:|" * len(cpus))
    for suite, clock in clocks.items():
        for policy in POLICIES:
            taken = logs(index, clock, policy)
            words = []
            for number, cpu in enumerate(cpus):
                asked = replace(clock, metric=f"{MODEL}@{cpu}" if number else MODEL)
                model = logs(index, asked, policy)
                both = [(taken[name], model[name]) for name in taken if name in model]
                words += [mean([one for _, one in both]), alike(both)]
            print(f"| {suite} | {policy} | {len(taken)} | {mean(list(taken.values()))} | {' | '.join(words)} |")


def logs(index: "duckdb.DuckDBPyConnection", asked: Question, policy: str) -> dict[str, float]:
    """Program → log-ratio, of those that the policy completed; none where nothing was taken."""
    try:
        found = programs(index, asked, policy)
    except UsageError:
        return {}
    return {one.benchmark: math.log(one.ratio) for one in found if one.ratio}


def mean(values: list[float]) -> str:
    """As a ratio."""
    return f"{math.exp(statistics.fmean(values)):.4f}" if values else "–"


def alike(both: list[tuple[float, float]]) -> str:
    """The correlation."""
    return f"{statistics.correlation(*zip(*both, strict=True)):.2f}" if len(both) > 2 else "–"


if __name__ == "__main__":
    main()
