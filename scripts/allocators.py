"""Print the tables of docs/allocators.md from recorded results: what LLVM's register allocators do to each metric.

usage: .venv/bin/python scripts/allocators.py counts|policies|times|models [RESULTS]

counts: executed and modelled, and sizes, of every suite and target. policies: the same of those that decide in an
allocator's place, of all programs and of those that nothing was trained on. times: by the clock. models: what llvm-mca
says of the same programs, of the fixed CPU and of the one that was timed, and how well it agrees with the clock.
"""

import math
import statistics
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from recorded import compiler, recorded_in

from harness.base.errors import UsageError
from harness.base.vocabulary import Split
from harness.rank import Question, Standing, standings
from harness.rank.programs import programs
from harness.rank.words import decided, rank_range, verdict_mark

if TYPE_CHECKING:
    import duckdb

METRICS = ("instructions", "accesses", "mca.cycles", "spills", "size.alloc")
POLICIES = ("basic", "pbqp", "fast", "fast-o0")
OWN = (
    *("constant-priority", "spill-weight", "tuned-priority", "learned-priority", "evict-together", "learned-chooser"),
    *(f"choice-{tried}" for tried in (2, 4, 8, 16)),
)
UNSEEN_TOO = ("accesses", "mca.cycles", "instructions")
AGAINST, TRACK, TIMED, MODEL = "greedy", "speed", "runtime.cpu", "mca.cycles"
TOLD = 0.8
"""Of the programs, the least share that a policy was timed on."""
SUITES = ("cbench", "mibench", "spec-like", "polybench")


def main() -> None:
    """The table that is asked for, of all programs of each suite."""
    tables = {"counts": counts, "policies": policies, "times": times, "models": models}
    if len(sys.argv) < 2 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    with recorded_in(sys.argv[2:], TRACK) as index:
        tables[sys.argv[1]](index)


def question(index: "duckdb.DuckDBPyConnection", suite: str, target: str, metric: str) -> Question:
    """Against greedy."""
    return Question(suite, target, TRACK, metric, AGAINST, compiler(index))


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


def policies(index: "duckdb.DuckDBPyConnection") -> None:
    """A row for each suite, target and policy: strict with its verdict, of all programs and of the test split."""
    columns = [(metric, split) for metric in UNSEEN_TOO for split in (None, Split.TEST)]
    columns += [(metric, None) for metric in METRICS if metric not in UNSEEN_TOO]
    heads = [f"`{metric}`" if split is None else "unseen" for metric, split in columns]
    print(f"| suite | target | policy | {' | '.join(heads)} |")
    print("|---|---|---|" + "---:|" * len(columns))
    named = ", ".join(f"'{policy}'" for policy in OWN)
    found = index.execute(f"SELECT DISTINCT suite, target FROM cells WHERE track = ? AND policy IN ({named})", [TRACK])
    for suite, target in sorted(found.fetchall(), key=lambda one: (SUITES.index(one[0]), one[1] != "x86-64")):
        tables = [
            {row.policy: row for row in standings(index, replace(question(index, suite, target, metric), split=split))}
            for metric, split in columns
        ]
        for policy in OWN:
            if any(policy in table for table in tables):
                print(
                    f"| {suite} | {target} | {policy} | {' | '.join(judged(table.get(policy)) for table in tables)} |"
                )


def judged(row: Standing | None) -> str:
    """``1.0204 ▲``; of a policy that was not measured, a dash."""
    if row is None or not row.completed:
        return "–"
    mark = verdict_mark(row.verdict)
    return f"{row.strict:.4f} {mark[0] if mark else ''}".rstrip()


def timed(index: "duckdb.DuckDBPyConnection") -> list[tuple[str, str]]:
    """Suites and targets that were timed."""
    found = index.execute("SELECT DISTINCT suite, target FROM timings").fetchall()
    return sorted(found, key=lambda one: SUITES.index(one[0]))


def times(index: "duckdb.DuckDBPyConnection") -> None:
    """A row for each suite and policy, of all programs and of the test split."""
    print("| suite | policy | rank | verdict | covered | run time | 95 % interval | W/T/?/L | unseen | 95 % interval |")
    print("|---|---|---|---|---|---:|---|---|---:|---|")
    for suite, target in timed(index):
        asked = question(index, suite, target, TIMED)
        unseen = {row.policy: row for row in standings(index, replace(asked, split=Split.TEST))}
        for row in standings(index, asked):
            # Of others some objects are the same as one that was timed: inliners decide nothing about some programs.
            mine = row.policy in OWN and row.completed >= TOLD * row.benchmarks
            if row.completed and (mine or row.policy in (AGAINST, *POLICIES)):
                words = [rank_range(row) or "–", verdict_mark(row.verdict, row.depends_on) or "–"]
                words += [f"{row.completed}/{row.benchmarks}", f"{row.strict:.4f}", interval(row), decided(row)]
                there = unseen.get(row.policy)
                words += [judged(there), "–" if there is None else interval(there)]
                print(f"| {suite} | {row.policy} | {' | '.join(words)} |")


def interval(row: Standing) -> str:
    """Of strict; of nothing, a dash."""
    return "–" if row.low is None or row.high is None else f"{row.low:.4f} – {row.high:.4f}"


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
            if not taken:
                continue
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
