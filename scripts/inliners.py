"""Print the tables of docs/inlining.md from recorded results: what policies that decide what to inline give.

usage: .venv/bin/python scripts/inliners.py zero-shot|search|reached [RESULTS]
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recorded import compiler, recorded_in

from harness.policy.tracks import facts_of
from harness.rank import Question, Standing, standings

if TYPE_CHECKING:
    import duckdb

PROBLEM, TRACK = "inlining", "size"
BESIDE = {"zero-shot": ("inline-never", "inline-always"), "search": ()}
"""Policies of other classes that the table of a class has, too."""
REACHED = "reached"
METRICS = ("size.alloc", "size.text")
SUITES = ("cbench", "mibench", "spec-like", "polybench")
TARGETS = ("x86-64", "aarch64")
KERNELS = "polybench"
TOGETHER, APPLICATIONS = "all", "applications"
"""Rows of the board of all suites, with the suite of kernels and without."""


def main() -> None:
    """Strict of the policies of a class; or what each reaches of the best decisions that are known."""
    wanted = sys.argv[1:2]
    if wanted not in ([REACHED], *([kind] for kind in BESIDE)):
        sys.exit(__doc__)
    with recorded_in(sys.argv[2:], TRACK) as index:
        if wanted == [REACHED]:
            reached(index)
        else:
            won(index, wanted[0])


def won(index: "duckdb.DuckDBPyConnection", kind: str) -> None:
    """Of each metric, a row for each suite, target and split, and for all suites; a column for each policy: strict."""
    policies = of_class(index, [kind], BESIDE[kind])
    for metric in METRICS:
        print(f"| `{metric}` | target | split | programs | " + " | ".join(policies) + " |")
        print("|---|---|---|---:|" + "---:|" * len(policies))
        for line in of_each(index, metric, policies):
            print(line)
        for line in of_all(index, metric, policies):
            print(line)
        print()


def reached(index: "duckdb.DuckDBPyConnection") -> None:
    """Of each metric, a row for each policy, and a column for each target, of all suites' test splits, and of these
    without the kernels: the share of the ceiling. The ceiling's own row has what it wins.
    """
    boards = [(target, name) for target in of_all_suites(index) for name in (TOGETHER, APPLICATIONS)]
    there = everywhere(index)
    for metric in METRICS:
        tables = [board(index, TOGETHER, target, "test", metric, within(index, name)) for target, name in boards]
        print(f"| `{metric}` | " + " | ".join(f"{target}, {name}" for target, name in boards) + " |")
        print("|---|" + "---:|" * len(boards))
        for policy in of_class(index, list(BESIDE)):
            run = [(policy, target) in there for target, _ in boards]
            if any(run):
                shares = [share(table[policy]) if was else "–" for was, table in zip(run, tables, strict=True)]
                print(f"| {policy} | {' | '.join(shares)} |")
        print()


def of_class(index: "duckdb.DuckDBPyConnection", kinds: list[str], beside: Sequence[str] = ()) -> list[str]:
    """Names of the problem's policies of these classes, and of those beside them."""
    query = """SELECT DISTINCT policy FROM cells
WHERE problem = ? AND track = ? AND (list_contains(?, class) OR list_contains(?, policy)) ORDER BY policy"""
    return [name for (name,) in index.execute(query, [PROBLEM, TRACK, kinds, list(beside)]).fetchall()]


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
    """Rows of all suites together: of policies that were run on each of them, with intervals."""
    there = everywhere(index)
    for target in of_all_suites(index):
        for name in (TOGETHER, APPLICATIONS):
            table = board(index, TOGETHER, target, "test", metric, within(index, name))
            figures = [interval(table[one]) if (one, target) in there else "–" for one in policies]
            yield row((name, target, "test"), table, figures)


def everywhere(index: "duckdb.DuckDBPyConnection") -> set[tuple[str, str]]:
    """Policies that were run on every suite, each with a target; whether they failed there is another matter."""
    query = """SELECT policy, target FROM cells WHERE track = ? AND list_contains(?, suite)
GROUP BY policy, target HAVING count(DISTINCT suite) = ?"""
    return set(index.execute(query, [TRACK, list(SUITES), len(SUITES)]).fetchall())


def recorded(index: "duckdb.DuckDBPyConnection") -> set[tuple[str, str, str]]:
    """Suites, targets and splits."""
    query = "SELECT DISTINCT suite, target, split FROM cells WHERE track = ?"
    return set(index.execute(query, [TRACK]).fetchall())


def of_all_suites(index: "duckdb.DuckDBPyConnection") -> list[str]:
    """Targets for which the test split of every suite is there."""
    there = recorded(index)
    return [target for target in TARGETS if all((suite, target, "test") in there for suite in SUITES)]


def within(index: "duckdb.DuckDBPyConnection", name: str) -> tuple[str, ...]:
    """Names of the programs that a row of all suites is about; none: all."""
    if name == TOGETHER:
        return ()
    query = """SELECT benchmark FROM cells WHERE track = ? AND list_contains(?, suite)
EXCEPT SELECT benchmark FROM cells WHERE suite = ? ORDER BY benchmark"""
    return tuple(name for (name,) in index.execute(query, [TRACK, list(SUITES), KERNELS]).fetchall())


def board(
    index: "duckdb.DuckDBPyConnection", suite: str, target: str, split: str, metric: str, only: tuple[str, ...] = ()
) -> dict[str, Standing]:
    """Policies, as they stand."""
    reference = facts_of(TRACK).references[0]
    asked = Question(suite, target, TRACK, metric, reference, compiler(index), split, benchmarks=only)
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
