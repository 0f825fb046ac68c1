"""Boards of several suites: every program once, the newest row of each, whichever suite's run it is of."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.leaderboard import asked
from harness.rank import Question, standings
from harness.rank.question import ALL, questions
from harness.record import open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("all", "x86-64", "size", "size.alloc", "Oz", LLVM)


def record(
    results: Path, suite: str, values: dict[str, tuple[float | None, float | None]], hour: int = 0, **fields: object
) -> None:
    """A run of Oz and of ``new`` with these values of the programs."""
    rows = [
        row(name, policy, value)
        for name, both in values.items()
        for policy, value in zip(("Oz", "new"), both, strict=True)
    ]
    started = f"2026-01-01T{hour:02}:00:00+00:00"
    run_file(results, rows, suite=suite, started=started, finished=started, **fields)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two programs of cBench, one of which MiBench ran again later, one kernel, and a suite of one's own."""
    record(tmp_path, "cbench", {"sha": (100, 80), "gsm": (100, 100)})
    record(tmp_path, "mibench", {"gsm": (100, 50)}, hour=1)
    record(tmp_path, "polybench", {"atax": (100, 125)})
    record(tmp_path, "mine", {"other": (100, 1)})
    return tmp_path


def test_each_program_counts_once_as_it_was_measured_last(results: Path) -> None:
    with open_index(results) as index:
        everything = {row.policy: row for row in standings(index, QUESTION)}["new"]
        applications = {row.policy: row for row in standings(index, replace(QUESTION, suite="applications"))}["new"]
    assert everything.benchmarks == 3
    assert everything.strict == pytest.approx((100 / 80 * 100 / 50 * 100 / 125) ** (1 / 3))
    assert (applications.benchmarks, applications.strict) == (2, pytest.approx(math.sqrt(100 / 80 * 2)))


def test_a_policy_made_on_the_program_in_another_suite_is_not_ranked(results: Path) -> None:
    record(results, "mibench", {"gsm": (100, 50)}, hour=2, trained_on={"new": ("gsm",)})
    with open_index(results) as index:
        (found,) = (one for one in standings(index, QUESTION) if one.policy == "new")
        (left,) = (one for one in standings(index, replace(QUESTION, unseen=("new",))) if one.policy == "new")
    assert found.rank is None
    assert "made on 1 of these 3 programs" in found.reasons
    assert left.benchmarks == 2


def test_suites_that_are_shown_together_are_not_repeated(results: Path) -> None:
    """Without a wish: all, the applications, the kernels, and whatever is no suite of programs of the harness."""
    with open_index(results) as index:
        default = [one.suite for one in asked(index, results, {"targets": (), "suite": None})]
        headline = [one.suite for one in asked(index, results, {"targets": (), "suite": "all"})]
        alone = [one.suite for one in asked(index, results, {"targets": (), "suite": "cbench"})]
        every = {one.suite for one in questions(index)}
    assert default == ["all", "applications", "mine", "polybench"]
    assert headline == ["all", "applications", "polybench"]
    assert alone == ["cbench"]
    assert every == {*headline, "cbench", "mibench", "mine"}


def test_one_suite_alone_stays_itself(tmp_path: Path) -> None:
    record(tmp_path, "cbench", {"sha": (100, 80)})
    with open_index(tmp_path) as index:
        assert [one.suite for one in asked(index, tmp_path, {"targets": (), "suite": "all"})] == ["cbench"]
    record(tmp_path, "mibench", {"mad": (100, 80)})
    with open_index(tmp_path) as index:
        found = [one.suite for one in asked(index, tmp_path, {"targets": (), "suite": "all", "split": ALL})]
    assert found == ["all"]  # the applications are the same
