"""Solvers in the sandbox: what counts of those that end well, and of those that do not."""

import time
from pathlib import Path

import pytest

from harness.problems.instances.answers import Answers
from harness.problems.instances.solve import Attempt, run_solver
from harness.sandbox import SCRATCH, Job, Limits
from harness.sandbox.bench import Bench


def attempt(script: str, folder: Path, bench: Bench, wall: float = 20.0) -> Attempt:
    """A solver that is a shell script, on an instance of three nodes."""
    (folder / "solver.sh").write_text(script)
    job = Job(
        "/bin/sh", (f"{SCRATCH}/solver.sh",), files={f"{SCRATCH}/solver.sh": folder / "solver.sh"}, system=True,
        environment={"PATH": "/usr/bin:/bin"}, limits=Limits(wall=wall),
    )  # fmt: skip
    return run_solver(job, Answers(3, "nodes", "strategies"), bench.sandbox)


def counted(tried: Attempt) -> list[int] | None:
    """The assignment that counts."""
    return None if tried.answers.last is None else tried.answers.last.assignment.tolist()


def test_a_solver_that_ends_by_itself(tmp_path: Path, bench: Bench) -> None:
    tried = attempt("echo reading; echo '[0, 0, 0]'; printf '[1, 0, 2]'", tmp_path, bench)
    assert tried.finished.ok and counted(tried) == [1, 0, 2]
    assert tried.finished.stdout == b""


def test_at_the_limit_the_last_whole_line_counts_with_its_moment(tmp_path: Path, bench: Bench) -> None:
    script = "echo '[0, 0, 0]'; sleep 1; echo '[1, 0, 2]'; printf '[2, 2'; sleep 60; echo '[9, 9, 9]'"
    tried = attempt(script, tmp_path, bench, wall=3.0)
    assert tried.finished.out_of_time and counted(tried) == [1, 0, 2]
    first, second = (answer.seconds for answer in tried.answers)
    assert first < 1 <= second < 3
    assert second - first == pytest.approx(1.0, abs=0.5)


@pytest.mark.parametrize("script", ["", "exit 0", "echo solving", "sleep 60"])
def test_nothing_printed_nothing_counts(script: str, tmp_path: Path, bench: Bench) -> None:
    tried = attempt(script, tmp_path, bench, wall=2.0)
    assert counted(tried) is None and tried.answers.fault is None


def test_a_crash_is_seen_and_what_was_printed_before_is_there(tmp_path: Path, bench: Bench) -> None:
    tried = attempt("echo '[0, 1, 0]'; kill -SEGV $$", tmp_path, bench)
    assert not tried.finished.ok and "SIGSEGV" in tried.finished.ending
    assert counted(tried) == [0, 1, 0]


def test_garbage_counts_as_nothing(tmp_path: Path, bench: Bench) -> None:
    tried = attempt("echo '[0, 0, 0]'; head -c 3000000 /dev/urandom; echo; echo '[0, x]'", tmp_path, bench)
    assert counted(tried) is None and "no list of integers" in str(tried.answers.fault)


def test_gigabytes_end_the_solver_and_not_the_harness(tmp_path: Path, bench: Bench) -> None:
    started = time.monotonic()
    tried = attempt("echo '[0, 0, 0]'; exec cat /dev/zero", tmp_path, bench, wall=60.0)
    assert tried.printed_too_much and not tried.finished.ok
    assert tried.finished.wall < 60 and time.monotonic() - started < 70


def test_children_that_hold_the_pipe_are_gone(tmp_path: Path, bench: Bench) -> None:
    started = time.monotonic()
    tried = attempt("sleep 100 & echo '[0, 0, 0]'", tmp_path, bench)
    assert counted(tried) == [0, 0, 0] and tried.finished.left.processes == 1
    assert time.monotonic() - started < 20
