"""An object that failed on a fresh input is a miscompile wherever it is recorded as ok: before, later, by others."""

from pathlib import Path

import pytest

from harness.base.vocabulary import Isolation, Outcome, Target
from harness.rank import standings
from harness.rank.standings import Question
from harness.record import Row, open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)
EARLY = {"started": "2025-01-01T00:00:00+00:00", "finished": "2025-01-01T00:01:00+00:00"}
LATE = {"started": "2026-02-01T00:00:00+00:00", "finished": "2026-02-01T00:01:00+00:00"}


def refuted(outcome: Outcome = Outcome.WRONG_OUTPUT, **fields: object) -> Row:
    """The cell of ``row("one", "new", …)``, failed on a fresh input."""
    failure = {"outcome": outcome, "detail": "on a fresh input", "fresh": "f" * 64}
    return row("one", "new", None, **(failure | fields))


def coverage(results: Path) -> dict[str, float]:
    with open_index(results) as index:
        return {standing.policy: standing.coverage for standing in standings(index, QUESTION)}


@pytest.mark.parametrize("when", [EARLY, LATE])
@pytest.mark.parametrize("outcome", [Outcome.WRONG_OUTPUT, Outcome.RUN_CRASH])
def test_a_failure_wins_whenever_it_was_found(when: dict[str, str], outcome: Outcome, tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    assert coverage(tmp_path) == {"Oz": 1.0, "new": 1.0}
    run_file(tmp_path, [row("one", "Oz", 100), refuted(outcome)], **when)
    assert coverage(tmp_path) == {"Oz": 1.0, "new": 0.0}


def test_a_time_out_may_be_the_machines_fault(tmp_path: Path) -> None:
    """The newest word counts, as of every time-out."""
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    run_file(tmp_path, [row("one", "Oz", 100), refuted(Outcome.RUN_TIMEOUT)], **EARLY)
    assert coverage(tmp_path)["new"] == 1.0


def test_another_policy_with_the_same_object_and_none_with_another(tmp_path: Path) -> None:
    same = row("one", "same", 50, object_digest=row("one", "new").object_digest)
    elsewhere = row("one", "there", 50, object_digest=same.object_digest, target=Target.AARCH64)
    run_file(tmp_path, [row("one", "Oz", 100), same, row("one", "other", 60), elsewhere, refuted()])
    assert coverage(tmp_path) == {"Oz": 1.0, "same": 0.0, "other": 1.0, "new": 0.0}


def test_suites_that_share_a_program_share_what_is_known_of_its_objects(tmp_path: Path) -> None:
    facts = {"one": {"split": "train", "origin": "own", "program_digest": "d" * 64}}
    other = {"one": facts["one"] | {"program_digest": "e" * 64}}
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)], benchmarks=facts)
    run_file(tmp_path, [row("one", "Oz", 100), refuted()], suite="another", benchmarks=other)
    assert coverage(tmp_path)["new"] == 1.0
    run_file(tmp_path, [row("one", "Oz", 100), refuted()], suite="sharing", benchmarks=facts)
    assert coverage(tmp_path)["new"] == 0.0


def test_what_failed_without_the_sandbox_refutes_nothing_in_it(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    run_file(tmp_path, [row("one", "Oz", 100), refuted(isolation=Isolation.TRUSTED)], **LATE)
    assert coverage(tmp_path)["new"] == 1.0


def test_a_failure_on_the_suites_own_inputs_is_of_its_cell_alone(tmp_path: Path) -> None:
    """Without a fresh input, it is the newest word on the cell and no more."""
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", None)], **EARLY)
    run_file(tmp_path, [row("one", "Oz", 100), row("one", "new", 50)])
    assert coverage(tmp_path)["new"] == 1.0
