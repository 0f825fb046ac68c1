"""Print the tables of docs/inlining.md from recorded results: what policies that decide what to inline give.

usage: .venv/bin/python scripts/inliners.py zero-shot|search|reached|speed [RESULTS]

zero-shot, search: what policies of that class win, by size. reached: what each reaches of the best decisions that are
known. speed: what those of track speed win, by what is counted and modelled.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from recorded import compiler, recorded_in

from harness.policy.tracks import facts_of
from harness.rank import Question, Standing, standings

if TYPE_CHECKING:
    import duckdb

PROBLEM = "inlining"
BESIDE = {"zero-shot": ("inline-never", "inline-always"), "search": ()}
"""Policies of other classes that the table of a class has, too."""
METRICS = ("size.alloc", "size.text")
COUNTED = ("instructions", "accesses", "mca.cycles", "size.alloc")
"""What the table of track speed has."""
SUITES = ("cbench", "mibench", "spec-like", "polybench")
TARGETS = ("x86-64", "aarch64")
KERNELS = "polybench"
TOGETHER, APPLICATIONS = "all", "applications"
"""Rows of the board of all suites, with the suite of kernels and without."""


@dataclass(frozen=True)
class Results:
    """What is recorded on one track."""

    index: "duckdb.DuckDBPyConnection"
    track: str


def main() -> None:
    """The table that is asked for."""
    tables = {**{kind: partial(won, kind) for kind in BESIDE}, "reached": reached, "speed": speed}
    if len(sys.argv) < 2 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    track = "speed" if sys.argv[1] == "speed" else "size"
    with recorded_in(sys.argv[2:], track) as index:
        tables[sys.argv[1]](Results(index, track))


def won(kind: str, results: Results) -> None:
    """Of each metric, a row for each suite, target and split, and for all suites; a column for each policy: strict."""
    policies = of_class(results, [kind], BESIDE[kind])
    for metric in METRICS:
        print(f"| `{metric}` | target | split | programs | " + " | ".join(policies) + " |")
        print("|---|---|---|---:|" + "---:|" * len(policies))
        for line in of_each(results, metric, policies):
            print(line)
        for line in of_all(results, metric, policies):
            print(line)
        print()


def reached(results: Results) -> None:
    """Of each metric, a row for each policy, and a column for each target, of all suites' test splits, and of these
    without the kernels: the share of the ceiling. The ceiling's own row has what it wins.
    """
    boards = [(target, name) for target in of_all_suites(results) for name in (TOGETHER, APPLICATIONS)]
    there = everywhere(results)
    for metric in METRICS:
        tables = [board(results, TOGETHER, target, "test", metric, within(results, name)) for target, name in boards]
        print(f"| `{metric}` | " + " | ".join(f"{target}, {name}" for target, name in boards) + " |")
        print("|---|" + "---:|" * len(boards))
        for policy in of_class(results, list(BESIDE)):
            run = [(policy, target) in there for target, _ in boards]
            if any(run):
                shares = [share(table[policy]) if was else "–" for was, table in zip(run, tables, strict=True)]
                print(f"| {policy} | {' | '.join(shares)} |")
        print()


def speed(results: Results) -> None:
    """A row for each suite, target, split and policy, and for all suites; a column for each metric: strict."""
    print("| suite | target | split | programs | policy | " + " | ".join(f"`{name}`" for name in COUNTED) + " |")
    print("|---|---|---|---:|---|" + "---:|" * len(COUNTED))
    policies, there = of_class(results, list(BESIDE)), everywhere(results)
    for facts in of_suites(results):
        tables = [board(results, *facts, metric) for metric in COUNTED]
        for policy in policies:
            if policy in tables[0]:
                print(row(facts, tables[0], [policy, *(figure(table.get(policy)) for table in tables)]))
    for target in of_all_suites(results):
        for name in (TOGETHER, APPLICATIONS):
            only = within(results, name)
            tables = [board(results, TOGETHER, target, "test", metric, only) for metric in COUNTED]
            for policy in policies:
                if (policy, target) in there:
                    figures = [interval(table[policy]) for table in tables]
                    print(row((name, target, "test"), tables[0], [policy, *figures]))


def of_class(results: Results, kinds: list[str], beside: Sequence[str] = ()) -> list[str]:
    """Names of the problem's policies of these classes, and of those beside them."""
    query = """SELECT DISTINCT policy FROM cells
WHERE problem = ? AND track = ? AND (list_contains(?, class) OR list_contains(?, policy)) ORDER BY policy"""
    return [name for (name,) in results.index.execute(query, [PROBLEM, results.track, kinds, list(beside)]).fetchall()]


def of_each(results: Results, metric: str, policies: Sequence[str]) -> Iterator[str]:
    """Rows of suites by themselves. Failed programs count."""
    for facts in of_suites(results):
        table = board(results, *facts, metric)
        yield row(facts, table, [figure(table.get(name)) for name in policies])


def of_all(results: Results, metric: str, policies: Sequence[str]) -> Iterator[str]:
    """Rows of all suites together: of policies that were run on each of them, with intervals."""
    there = everywhere(results)
    for target in of_all_suites(results):
        for name in (TOGETHER, APPLICATIONS):
            table = board(results, TOGETHER, target, "test", metric, within(results, name))
            figures = [interval(table[one]) if (one, target) in there else "–" for one in policies]
            yield row((name, target, "test"), table, figures)


def of_suites(results: Results) -> list[tuple[str, str, str]]:
    """Suites, targets and splits that are there, as tables order them."""
    every = [(suite, target, split) for suite in SUITES for target in TARGETS for split in ("train", "test")]
    there = recorded(results)
    return [one for one in every if one in there]


def everywhere(results: Results) -> set[tuple[str, str]]:
    """Policies that were run on every suite, each with a target; whether they failed there is another matter."""
    query = """SELECT policy, target FROM cells WHERE track = ? AND list_contains(?, suite)
GROUP BY policy, target HAVING count(DISTINCT suite) = ?"""
    return set(results.index.execute(query, [results.track, list(SUITES), len(SUITES)]).fetchall())


def recorded(results: Results) -> set[tuple[str, str, str]]:
    """Suites, targets and splits."""
    query = "SELECT DISTINCT suite, target, split FROM cells WHERE track = ?"
    return set(results.index.execute(query, [results.track]).fetchall())


def of_all_suites(results: Results) -> list[str]:
    """Targets for which the test split of every suite is there."""
    there = recorded(results)
    return [target for target in TARGETS if all((suite, target, "test") in there for suite in SUITES)]


def within(results: Results, name: str) -> tuple[str, ...]:
    """Names of the programs that a row of all suites is about; none: all."""
    if name == TOGETHER:
        return ()
    query = """SELECT benchmark FROM cells WHERE track = ? AND list_contains(?, suite)
EXCEPT SELECT benchmark FROM cells WHERE suite = ? ORDER BY benchmark"""
    return tuple(name for (name,) in results.index.execute(query, [results.track, list(SUITES), KERNELS]).fetchall())


def board(
    results: Results, suite: str, target: str, split: str, metric: str, only: tuple[str, ...] = ()
) -> dict[str, Standing]:
    """Policies, as they stand."""
    reference = facts_of(results.track).references[0]
    asked = Question(suite, target, results.track, metric, reference, compiler(results.index), split, benchmarks=only)
    return {one.policy: one for one in standings(results.index, asked)}


def row(facts: tuple[str, str, str], table: dict[str, Standing], figures: Sequence[str]) -> str:
    """A line of Markdown."""
    count = max(one.benchmarks for one in table.values())
    return f"| {' | '.join(facts)} | {count} | {' | '.join(figures)} |"


def figure(one: Standing | None) -> str:
    """Strict."""
    return "–" if one is None or one.strict is None else f"{one.strict:.4f}"


def interval(one: Standing) -> str:
    """Strict, and where it may lie for programs like these."""
    if one.low is None or one.high is None:
        return figure(one)
    return f"{figure(one)} ({one.low:.4f} – {one.high:.4f})"


def share(one: Standing) -> str:
    """Of the ceiling; the ceiling's own gain."""
    if one.share is None:
        return "–"
    return figure(one) if one.share == 1 and one.verdict is None else f"{round(100 * one.share)} %"


if __name__ == "__main__":
    main()
