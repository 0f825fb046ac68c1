"""What was measured without the sandbox never takes the place of what was measured in it, and is told; so is haste."""

from pathlib import Path

import pytest

from harness.base.vocabulary import Isolation
from harness.rank import standings
from harness.rank.isolation import hurried_policies, trusted_policies
from harness.rank.standings import Question
from harness.record import open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)
TRUSTED = {"isolation": Isolation.TRUSTED}


def found(results: Path) -> tuple[dict[str, float], list[str]]:
    with open_index(results) as index:
        table = standings(index, QUESTION)
        return {standing.policy: standing.strict for standing in table}, trusted_policies(index, QUESTION)


def test_nothing_is_told_of_what_ran_in_the_sandbox(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    assert found(tmp_path) == ({"Oz": 1.0, "new": 2.0}, [])


def test_a_policy_that_only_ran_without_it_is_ranked_and_told(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50, **TRUSTED)])
    assert found(tmp_path) == ({"Oz": 1.0, "new": 2.0}, ["new"])


def test_a_newer_run_without_it_displaces_nothing(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    later = {"started": "2026-02-01T00:00:00+00:00", "finished": "2026-02-01T00:01:00+00:00"}
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 25, **TRUSTED)], **later)
    assert found(tmp_path) == ({"Oz": 1.0, "new": 2.0}, [])


def test_a_newer_failure_without_it_displaces_nothing(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    later = {"started": "2026-02-01T00:00:00+00:00", "finished": "2026-02-01T00:01:00+00:00"}
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", None, **TRUSTED)], **later)
    assert found(tmp_path) == ({"Oz": 1.0, "new": 2.0}, [])


@pytest.mark.parametrize(("after", "told"), [(None, []), (0.0, ["new"]), (60.9, ["new"]), (61.0, []), (90.0, [])])
def test_who_was_asked_again_too_soon_is_told(tmp_path: Path, after: float | None, told: list[str]) -> None:
    rows = [row("one", "Oz", 100), row("one", "new", 50, problem="inlining", form="python")]
    run_file(tmp_path, rows, asked_again_after=after)
    with open_index(tmp_path) as index:
        assert hurried_policies(index, QUESTION) == told
