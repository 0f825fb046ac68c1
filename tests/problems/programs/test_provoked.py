"""A throttled machine, a busy neighbour, a suspended machine: the campaign is marked, and nothing is ranked by it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.record import RunFile
from tests.drive import User
from tests.problems.programs.test_timing import QUICK, TIMED, suite, wait_for_blocks

CPU_GROUPS = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))
SPIN = "while True: pass"


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User.at(tmp_path)


@pytest.fixture
def words(tmp_path: Path) -> tuple[str | Path, ...]:
    """A run of three objects of one program."""
    return ("run", "--suite", suite(tmp_path / "made", "none"), "--policy", "basic", *TIMED, *QUICK)


def marked(user: User, mark: str) -> RunFile:
    """The one run, whose campaign has the mark; its values are shown, and nobody is ranked."""
    (run,) = user.runs()
    assert any(mark in found for campaign in run.campaigns for found in campaign.marks), run.campaigns
    table = user.json("leaderboard", "--track", "speed", "--metric", "runtime.cpu", "--reference", "greedy")
    rows = {row["policy"]: row for row in table}
    assert set(rows) == {"greedy", "basic", "pbqp"}
    for row in rows.values():
        assert row["rank"] is None
        assert any(mark in reason for reason in row["reasons"]), row
    shown = user.harness("leaderboard", "--track", "speed", "--metric", "runtime.cpu", code=0)
    assert mark in shown.out + shown.err
    return run


@pytest.mark.slow
def test_a_busy_neighbour(user: User, words: tuple[str | Path, ...]) -> None:
    cores = os.sched_getaffinity(0)
    neighbours = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", SPIN]) for core in cores]
    try:
        user.harness(*words, code=0, timeout=300)
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
    run = marked(user, "a busy neighbour")
    waited = [block.conditions.waited for block in run.blocks]
    assert sum(waited) / len(waited) > 0.2


@pytest.mark.slow
def test_a_suspended_machine(user: User, tmp_path: Path) -> None:
    """The harness stands still, and with it whoever waits for a turn; then all goes on."""
    made = suite(tmp_path / "long", "none", rounds=60_000)
    with user.start("run", "--suite", made, "--policy", "basic", *TIMED, "--budget", "40") as process:
        for blocks in (1, 2, 3):  # now and then it stops between blocks, where nobody is hurt
            wait_for_blocks(user, blocks)
            time.sleep(0.5)
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(4)
            os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=300)
        assert process.returncode == 0
    marked(user, "stopped for")


@pytest.mark.slow
def test_a_throttled_machine(user: User, words: tuple[str | Path, ...]) -> None:
    with a_third_of_a_core() as group, user.start(*words) as process:
        (group / "cgroup.procs").write_text(str(process.pid))
        process.communicate(timeout=400)
        assert process.returncode == 0
    marked(user, "throttled")


@contextmanager
def a_third_of_a_core() -> Iterator[Path]:
    """A control group that may use so much; the test is skipped where none can be made."""
    top = next((folder for folder in CPU_GROUPS if (folder / "cpu.stat").is_file()), None)
    if top is None or not os.access(top, os.W_OK):
        pytest.skip("no control group for CPU time can be made here")
    group = top / f"harness-test-{os.getpid()}"
    group.mkdir()
    try:
        if (group / "cpu.cfs_quota_us").is_file():
            (group / "cpu.cfs_period_us").write_text("50000")
            (group / "cpu.cfs_quota_us").write_text("16000")
        elif (group / "cpu.max").is_file():
            (group / "cpu.max").write_text("16000 50000")
        else:
            pytest.skip("no quota can be set here")
        yield group
    finally:
        for _ in range(100):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)
