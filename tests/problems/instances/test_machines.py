"""Costs after a time limit depend on the machine: runs of two are never pooled, and whose is whose is said."""

from pathlib import Path

import duckdb

from harness.base.answers import Table
from harness.problems.instances.tables import standings_table
from harness.problems.sharding.domain import Sharding
from harness.record import open_index
from tests.problems.instances.written import NAMES, Got, question, table, write_solvers

HOME, AWAY = "Home CPU", "Away CPU"
SLOW, FAST = "2 cores of Home CPU", "2 cores of Away CPU"


def runs(*costs: int, first: int = 0) -> list[Got]:
    return [Got(cost, seed=seed) for seed, cost in enumerate(costs, first)]


def test_runs_of_two_machines_are_not_pooled(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": {name: runs(2000, 2001, 2002) for name in NAMES}}, cpu=HOME)
    write_solvers(tmp_path, 2, {"one": {name: runs(1100, 1101, first=2) for name in NAMES}}, cpu=AWAY, model="2")
    with open_index(tmp_path) as index:
        found = table(index)
        (row,) = found.standings
        assert (row.repeats, row.cpu) == (3, HOME)
        assert {(one.cost, one.lowest, one.highest, one.cpu) for one in found.figures} == {(2001, 2000, 2002, HOME)}
        assert found.remarks[0] == f"measured on {SLOW}"


def test_of_machines_with_equally_many_cells_the_newest_counts(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": {name: runs(2000) for name in NAMES}}, cpu=HOME)
    write_solvers(tmp_path, 2, {"one": {name: runs(1100) for name in NAMES}}, cpu=AWAY, model="2")
    with open_index(tmp_path) as index:
        assert {one.cost for one in table(index).figures} == {1100}


def test_whose_machine_is_whose_is_said_as_soon_as_there_are_two(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": {name: runs(2000) for name in NAMES[1:]}}, cpu=HOME)
    away = {"one": {NAMES[0]: runs(1100)}, "two": {name: runs(1100) for name in NAMES[:2]}}
    with open_index(tmp_path) as index:
        assert "CPU" not in [column.heading for column in shown(index).columns]
    write_solvers(tmp_path, 2, away, cpu=AWAY, model="2")
    with open_index(tmp_path) as index:
        found = table(index)
        assert found.remarks[0] == (
            "measured on 2 machines; costs after a time limit are comparable only within one. "
            f"{FAST}: one (1 of 8 instances), two. {SLOW}: one (7 of 8 instances)"
        )
        assert {row.policy: row.cpu for row in found.standings} == {"one": f"{AWAY}, {HOME}", "two": AWAY}
        for instances in (False, True):
            assert "CPU" in [column.heading for column in shown(index, instances).columns]


def test_two_machines_with_cpus_of_one_name_are_two(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": {name: runs(2000, 2000) for name in NAMES}}, cpu=HOME)
    write_solvers(tmp_path, 2, {"two": {name: runs(1100) for name in NAMES}}, cpu=HOME, model="2")
    with open_index(tmp_path) as index:
        found = table(index)
        assert {row.policy: row.cpu for row in found.standings} == {
            "one": "Home CPU (Inventor 1/1/0, bare, 2 cores)",
            "two": "Home CPU (Inventor 1/2/0, bare, 2 cores)",
        }


def test_copies_are_compared_with_what_the_same_machine_gave(tmp_path: Path) -> None:
    both = {name: [Got(1000), Got(1000, copy=1)] for name in NAMES}
    write_solvers(tmp_path, 1, {"one": both}, cpu=HOME)
    write_solvers(tmp_path, 2, {"one": {name: [Got(4000, copy=1)] for name in NAMES}}, cpu=AWAY, model="2")
    with open_index(tmp_path) as index:
        (line,) = (one for one in table(index).remarks if "under other numbers" in one)
    assert line.startswith("one: on 8 instances under other numbers it costs 1.000 times as much")


def shown(index: duckdb.DuckDBPyConnection, instances: bool = False) -> Table:
    return standings_table(Sharding(), index, question(), published=True, instances=instances)
