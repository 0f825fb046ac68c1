"""What is said of instances under other numbers: what a mean would hide, and whoever was never given them."""

from collections.abc import Iterable
from pathlib import Path

from harness.record import open_index
from tests.problems.instances.written import NAMES, Got, table, write_solvers


def copied(cost: int, copy: int | None, *names: str) -> dict[str, list[Got]]:
    return {name: [Got(cost), Got(copy, copy=1)] for name in names}


def said(folder: Path) -> list[str]:
    with open_index(folder) as index:
        return [line for line in table(index).remarks if "other numbers" in line or "--perturb" in line]


def test_a_table_that_knows_two_of_many_does_not_hide_in_the_mean(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"table": copied(2000, 2000, *NAMES[2:]) | copied(1000, 4000, *NAMES[:2])})
    (line,) = said(tmp_path)
    assert "(0.9" in line, "the interval alone would say nothing"
    assert line.endswith(", at least twice as much on i0 (4.0), i1 (4.0)")


def test_one_instance_is_enough_to_be_named(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"table": copied(1000, 2000, NAMES[0])})
    assert said(tmp_path) == [
        "table: on 1 instance under other numbers it costs 2.000 times as much, at least twice as much on i0 (2.0)"
    ]


def test_less_than_twice_is_not_named(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": copied(1000, 1990, *NAMES)})
    (line,) = said(tmp_path)
    assert "twice" not in line


def test_copies_that_fail_are_named(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": copied(1000, 1000, *NAMES[1:]) | copied(1000, None, NAMES[0])})
    (line,) = said(tmp_path)
    assert "at least twice as much on i0 (5.0), and fails on 1 (i0): what it gives rests on" in line


def test_of_how_many_instances_there_were_copies(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": copied(1000, 1000, *NAMES[:2]) | {name: [Got(1000)] for name in NAMES[2:]}})
    assert said(tmp_path)[0].startswith("one: on 2 of 8 instances under other numbers")


def test_who_was_never_given_copies_is_named_in_one_line(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"never": plain(NAMES), "nor": plain(NAMES), "was": copied(1000, 1000, *NAMES)})
    assert said(tmp_path)[1:] == ["never, nor: never run on copies (--perturb)"]


def test_copies_under_other_conditions_are_not_taken_for_the_tables(tmp_path: Path) -> None:
    write_solvers(tmp_path, 1, {"one": plain(NAMES)})
    write_solvers(tmp_path, 2, {"one": copied(1000, 4000, *NAMES)}, time_scale=0.1)
    assert said(tmp_path) == ["one: run on copies (--perturb) with other limits, cores or machines only"]


def plain(names: Iterable[str]) -> dict[str, list[Got]]:
    return {name: [Got(1000)] for name in names}


def test_an_end_of_an_interval_is_not_shown_as_nothing(tmp_path: Path) -> None:
    """Costs that are far apart put the lower end near zero, which is not zero."""
    write_solvers(tmp_path, 1, {"one": copied(1000, 10**15, *NAMES[1:3]) | copied(10**9, 10, NAMES[0])})
    (line,) = said(tmp_path)
    low, high = line.partition(" times as much (")[2].partition(")")[0].split(" to ")
    assert 0 < float(low) < 0.001 < 1000 < float(high)
