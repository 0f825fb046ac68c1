"""What two solvers have in common: whole assignments, or most of what is not as in the plain one."""

import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from harness.record import open_index
from harness.record.decisions import load_decisions
from tests.drive import ROOT
from tests.problems.instances.written import BEST, BOUND, FLOOR, NAMES, Got, table, write_solvers

NODES = 1000
PLAIN_ONE = [0] * NODES
GOOD = [1] * (NODES - 200) + [0] * 200
"""Differs from the plain one on 800 nodes."""
MID = BEST + 100


def changed(assignment: Sequence[int], count: int) -> list[int]:
    """With so many of its first nodes otherwise."""
    return [2] * count + list(assignment[count:])


def on_all(cost: int, assignment: Sequence[int], *names: str) -> dict[str, list[Got]]:
    return {name: [Got(cost, assignment)] for name in names or NAMES}


def said(folder: Path, time_scale: float = 1.0) -> list[str]:
    with open_index(folder) as index:
        return [line for line in table(index, time_scale).remarks if " assignments as " in line]


def write(folder: Path, theirs: Sequence[int], cost: int = MID, *, first: int = MID, bound: int | None = BOUND) -> None:
    """The plain solver and a good one on one day, and the next day one that gives ``theirs``."""
    before = {FLOOR: on_all(5000, PLAIN_ONE), "good": on_all(first, GOOD)}
    write_solvers(folder, 1, before, bound=bound)
    write_solvers(folder, 2, {"table": on_all(cost, theirs)}, bound=bound)


def test_a_table_that_changes_one_node_is_seen(tmp_path: Path) -> None:
    write(tmp_path, changed(GOOD, 1), MID + 1)
    assert said(tmp_path) == [
        "table: nearly the same assignments as good on 8 of 8 instances, with at least 99.87 % of the nodes that "
        "differ from the plain assignment equal"
    ]


def test_of_proven_optima_it_is_said_how_many_there_are(tmp_path: Path) -> None:
    write(tmp_path, changed(GOOD, 1), BOUND + 50, first=BOUND)
    (line,) = said(tmp_path)
    assert "on 8 of 8 instances (8 of them proven optimal), with at least 99.87 %" in line


def test_whole_and_nearly_the_same_are_told_apart(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {FLOOR: on_all(5000, PLAIN_ONE), "good": on_all(MID, GOOD)})
    theirs = on_all(MID, GOOD, *NAMES[:3]) | on_all(MID + 1, changed(GOOD, 8), NAMES[3])
    write_solvers(tmp_path, 2, {"table": theirs | on_all(MID + 1, changed(GOOD, 700), *NAMES[4:])})
    assert said(tmp_path) == [
        "table: same assignments as good on 3 of 8 instances, nearly on 1, with at least 99.00 % of the nodes that "
        "differ from the plain assignment equal"
    ]


@pytest.mark.parametrize(
    ("share", "first", "bound", "seen"),
    [
        (0.80, MID, BOUND, False),
        (0.92, MID, BOUND, True),
        (0.985, BOUND, BOUND, False),
        (0.995, BOUND, BOUND, True),
        (0.985, MID, None, False),
        (0.995, MID, None, True),
    ],
)
def test_independent_solvers_agree_on_as_many_nodes_as_that(
    share: float, first: int, bound: int | None, seen: bool, tmp_path: Path
) -> None:
    """Of optima, and where nobody knows how far from them, on more than of others."""
    write(tmp_path, changed(GOOD, round(800 * (1 - share))), MID + 1, first=first, bound=bound)
    assert bool(said(tmp_path)) == seen


def test_nodes_that_are_as_in_the_plain_assignment_tell_nothing(tmp_path: Path) -> None:
    one, other = [1, 1, 0, 0] + [0] * (NODES - 4), [0, 0, 1, 1] + [0] * (NODES - 4)
    write_solvers(tmp_path, 1, {FLOOR: on_all(5000, PLAIN_ONE), "one": on_all(MID, one), "two": on_all(MID, other)})
    assert said(tmp_path) == []


def test_runs_of_one_solver_are_not_compared(tmp_path: Path) -> None:
    runs = {name: [Got(MID, GOOD), Got(MID, changed(GOOD, 1), seed=1)] for name in NAMES}
    write_solvers(tmp_path, 1, {FLOOR: on_all(5000, PLAIN_ONE), "good": runs})
    assert said(tmp_path) == []


def test_whatever_time_they_had(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {FLOOR: on_all(5000, PLAIN_ONE), "good": on_all(MID, GOOD)}, time_scale=1.0)
    write_solvers(tmp_path, 2, {"table": on_all(MID + 1, changed(GOOD, 1))}, time_scale=0.1)
    assert len(said(tmp_path, 0.1)) == 1


def test_equal_assignments_are_seen_without_their_files(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    shutil.rmtree(tmp_path / "decisions")
    assert said(tmp_path) == ["table: same assignments as good on 8 of 8 instances"]


@pytest.mark.slow
def test_what_independent_solvers_agree_on_is_below_what_is_remarked_on() -> None:
    """The figures of docs/sharding.md, of the committed results."""
    results = ROOT / "results"
    query = """SELECT DISTINCT c.benchmark, c.policy, c.decisions_digest, CAST(m.exact AS VARCHAR), i.bound
        FROM cells c JOIN measurements m USING (cell) JOIN instances i ON i.run = c.run AND i.benchmark = c.benchmark
        WHERE c.suite = 'iopddl' AND m.metric = 'cost'"""
    with open_index(results, warn=False) as index:
        rows = index.execute(query).fetchall()
    found: dict[str, list[float]] = {"close to a bound": [], "no bound known": [], "others": []}
    for (name, one, mine, cost, bound), (other_name, other, its, other_cost, _) in combinations(rows, 2):
        if name != other_name or one == other or FLOOR in (one, other):
            continue
        plain = next(digest for where, who, digest, _, _ in rows if (where, who) == (name, FLOOR))
        a, b, least = (load_decisions(results, digest).body["assignment"] for digest in (mine, its, plain))
        counted = [x == y for x, y, z in zip(a, b, least, strict=True) if (x, y) != (z, z)]
        is_close = bound and min(int(cost), int(other_cost)) <= 1.001 * int(bound)
        sort = "close to a bound" if is_close else "others" if bound else "no bound known"
        found[sort].append(sum(counted) / max(1, len(counted)))
    most = {sort: round(max(shares), 3) for sort, shares in found.items()}
    assert most == {"close to a bound": 0.985, "no bound known": 0.973, "others": 0.791}
